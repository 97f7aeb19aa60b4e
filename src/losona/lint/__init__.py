"""The linter of frames, release rows and sets: numbered rules, pure but for the reading of files. Calls no model.

finding       what a rule reports            reading         from files to views
view, lines   a frame, a line as rules see it   units           a set as rules see it
wording       measures of text               lexicons        word lists, which are content
grading       what code says of a text       near            near-duplicates: Jaccard, MinHash
registry      the rules joined with texts    run, fix        linting of files; mending of frames
structure, applicability, cast, slots, language, references, facts, spacing: rules over a frame, by what they look at
line_people, line_columns, line_reply: rules over a line                     frameset, repeats: rules over a set
"""

from losona.lint.finding import Finding
from losona.lint.fix import fix_paths, mended
from losona.lint.registry import RULES, Rule, explain
from losona.lint.run import lint_paths, lint_texts

__all__ = ["RULES", "Finding", "Rule", "explain", "fix_paths", "lint_paths", "lint_texts", "mended"]
