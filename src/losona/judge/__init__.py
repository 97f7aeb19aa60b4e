"""The LLM judge: what it is asked (`prompt`), how its answer is read (`verdict`), and the call itself (`ask`).

`data`, `answer` and `line` are the parts of these that any question to a model needs: foreign text as data, an answer
as one typed record, a call with one retry. Only `ask` and `line` know Inspect; they are imported where a judge is
called, not here.
"""
