"""Generation of frames: stages that ask a model, code that puts their answers together, the linter that judges.

plan        which tuples, with venues and names     answers     shapes of the stages' answers
assemble    answers -> frame                        writing     frame -> YAML
routing     finding -> stage that can mend it       prompting   what a stage is told
budget      what it may cost                        work        a frame in the making, and its outcome
ask         one call                                author      the stages of one frame, in order
store       the folder                              task        the Inspect task

Only `ask` and `task` know Inspect.
"""
