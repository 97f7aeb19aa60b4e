"""The LLM judge: what it is asked (`prompt`), how its answer is read (`verdict`), and the call itself (`ask`).

Only `ask` knows Inspect; it is imported where a judge is called, not here.
"""
