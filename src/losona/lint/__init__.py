"""The linter of frames: numbered rules, pure but for the reading of files. Calls no model.

finding       what a rule reports            view, reading   a frame as rules look at it; from the disk
wording       measures of text               lexicons        word lists, which are content
grading       what code says of a text       registry, run   the rules joined with their texts; linting of files
structure, applicability, cast, slots, language, references, facts, frameset: the rules, by what they look at
"""

from losona.lint.finding import Finding
from losona.lint.registry import RULES, Rule
from losona.lint.run import lint_paths

__all__ = ["RULES", "Finding", "Rule", "lint_paths"]
