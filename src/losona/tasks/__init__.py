"""The Inspect task: transcripts under one condition, answered by a subject, graded by code and by a judge.

Knows Inspect. Does not know runs, folders or reports: `inspect eval losona/losona` and `losona run` share it.
A sample is transcript x condition; epochs are Inspect epochs; a reply is graded once by each scenario that has
the transcript.

setup    what tasks of a run share          solver   one call of a subject
scorer   gradings, and metrics over them    build    the tasks
review   questions about frames to a judge
"""

from losona.tasks.build import build_recall_task, build_task, losona
from losona.tasks.review import build_review_task
from losona.tasks.setup import Done, Recalled, Setup, Transcript, group

__all__ = [
    "Done",
    "Recalled",
    "Setup",
    "Transcript",
    "build_recall_task",
    "build_review_task",
    "build_task",
    "group",
    "losona",
]
