"""From frames to a release: what is decided of a frame, and by what. Pure but for the reading and writing of files.

frameset    frame files with their records          decisions   what a person decides
screening   replies of baselines -> decisions       yields      counts of them
question    what any question to a model has        questions, evidence, audit   the checks Q19 to Q23
checks      votes -> results of checks              card        counts of a release
release     the files of a release

Knows no model and no terminal.
"""
