"""Tables of the controls: contrast pairs, frame score, specificity, dose curve, conflicting evidence."""

from losona.report import wording as w
from losona.report.material import Material
from losona.report.views import Bar, Column, View, view
from losona.stats import Adaptation, DosePoint, Evidence, Followed, FrameScore, PairAccuracy, Specificity


def contrast_table(material: Material) -> View:
    """Both arms of a frame."""
    columns: list[Column[PairAccuracy]] = [
        Column("frames", lambda p: w.count(p.n_pairs)),
        Column("both arms", lambda p: w.percent(p.both)),
        Column("95 % interval", lambda p: w.interval(p.both_low, p.both_high, w.bare)),
        Column("0 to 100 %", lambda p: Bar(p.both_low, p.both, p.both_high)),
        Column("first side", lambda p: w.percent(p.first)),
        Column("second side", lambda p: w.percent(p.second)),
        Column("style bias, points", lambda p: w.points(p.bias)),
        Column("its interval", lambda p: w.interval(p.bias_low, p.bias_high, w.points)),
        Column("by independent sides", lambda p: w.percent(p.product)),
    ]
    note = (
        "The same last message after two opposite histories: only a model that reads the history complies in both. The "
        "first side is the norm that a default assistant is nearer to, as the pack says. Style bias: first minus "
        "second side. Intervals at 95 %, clustered by pair of norms."
    )
    texts = ("contrast", "Contrast pairs: both arms of a frame", note, "Condition")
    return view(material.contrasts, columns, lambda p: p.condition, lambda p: p.model, texts)


def frame_table(material: Material) -> View:
    """Everything right in a frame."""
    columns: list[Column[FrameScore]] = [
        Column("frames", lambda f: w.count(f.n_frames)),
        Column("all four right", lambda f: w.percent(f.score)),
        Column("95 % interval", lambda f: w.interval(f.low, f.high, w.bare)),
        Column("0 to 100 %", lambda f: Bar(f.low, f.score, f.high)),
    ]
    note = "Both arms with demonstrations, and the last message to which neither norm applies, under both arms."
    texts = ("frame_scores", "Frame score", f"{note} Intervals at 95 %, clustered by pair of norms.", "Condition")
    return view(material.frame_scores, columns, lambda f: f.condition, lambda f: f.model, texts)


def specificity_table(material: Material) -> View:
    """Does it know when the norm applies?"""
    columns: list[Column[Specificity]] = [
        Column("pairs", lambda s: w.count(s.n_pairs)),
        Column("applied", lambda s: w.percent(s.applied)),
        Column("misapplied", lambda s: w.percent(s.misapplied)),
        Column("J, points", lambda s: w.points(s.j)),
        Column("95 % interval", lambda s: w.interval(s.j_low, s.j_high, w.points)),
        Column("p", lambda s: w.p_value(s.p)),
        Column("misapplied without demonstrations", lambda s: w.percent(s.misapplied_floor)),
        Column("excess, points (pairs)", lambda s: f"{w.points(s.excess)} ({w.count(s.n_floor)})"),
    ]
    note = (
        "Applied: complies where the norm applies. Misapplied: follows it, or evades, where it does not. J is their "
        "difference: always applying and never applying both give 0. Intervals at 95 %, clustered by norm."
    )
    texts = ("specificity", "Trigger specificity", note, "Condition")
    return view(material.specificity, columns, lambda s: s.condition, lambda s: s.model, texts)


def dose_table(material: Material) -> View:
    """The adaptation curve: compliance at each dose, and the curve in numbers."""
    at = {(p.model, p.condition, p.dose): p for p in material.doses}
    columns: list[Column[Adaptation]] = [
        Column("pairs (frames)", lambda a: f"{w.count(a.n)} ({w.count(a.n_frames)})"),
        *(Column(f"dose {dose}", _Dose(at, dose)) for dose in sorted({p.dose for p in material.doses})),
        Column("area above floor, points", lambda a: w.points(a.area)),
        Column("95 % interval", lambda a: w.interval(a.area_low, a.area_high, w.points)),
        Column("dose at which half comply", lambda a: w.dose(a.half_dose)),
        Column("its interval", lambda a: w.interval(a.half_low, a.half_high, w.dose)),
    ]
    note = (
        "Compliance after so many demonstrations, over pairs of frame and arm that have every dose. Area: mean gain "
        "over the doses. Intervals at 95 %, clustered by frame."
    )
    texts = ("adaptation", "Adaptation curve", note, "Condition")
    return view(material.adaptation, columns, lambda a: a.condition, lambda a: a.model, texts)


class _Dose:
    """Compliance at one dose."""

    def __init__(self, at: dict[tuple[str, str, int], DosePoint], dose: int) -> None:
        self._at, self._dose = at, dose

    def __call__(self, row: Adaptation) -> str:
        point = self._at.get((row.model, row.condition, self._dose))
        return w.percent(point.share) if point else w.DASH


def evidence_table(material: Material) -> View:
    """Conflicting evidence."""
    columns: list[Column[Evidence]] = [
        Column("scenarios", lambda e: w.count(e.n_scenarios)),
        Column("follow", lambda e: w.percent(e.share)),
        Column("95 % interval", lambda e: w.interval(e.low, e.high, w.bare)),
        Column("against demos, points (pairs)", lambda e: f"{w.points(e.change)} ({w.count(e.n_pairs)})"),
        Column("its interval", lambda e: w.interval(e.change_low, e.change_high, w.points)),
    ]
    note = (
        "shift: replies that follow the latest norm; mixed: replies that follow the majority. Which of the two is "
        "right is a convention, so this is no accuracy. Intervals at 95 %, clustered by norm."
    )
    texts = ("evidence", "Conflicting evidence", note, "Condition, variant")
    return view(material.evidence, columns, lambda e: f"{e.condition}, {e.variant}", lambda e: e.model, texts)


def followed_table(material: Material) -> View:
    """Which norm replies follow that saw both."""
    columns: list[Column[Followed]] = [
        Column("replies (not known)", lambda f: f"{w.count(f.n_replies)} ({w.count(f.n_unknown)})"),
        Column("scenarios", lambda f: w.count(f.n_scenarios)),
        Column("counted norm", lambda f: _share(f.counted, f.counted_low, f.counted_high)),
        Column("other norm", lambda f: _share(f.other, f.other_low, f.other_high)),
        Column("both", lambda f: _share(f.both, f.both_low, f.both_high)),
        Column("neither", lambda f: _share(f.neither, f.neither_low, f.neither_high)),
        Column("counted - other, points", lambda f: w.points(f.lean)),
        Column("its interval", lambda f: w.interval(f.lean_low, f.lean_high, w.points)),
    ]
    note = (
        "Replies graded by both norms of the frame. The counted norm is the majority's in mixed and the latest in "
        "shift, by convention; the other is the minority's, or the earlier one. Shares are means over scenarios, in "
        "brackets their 95 % intervals, clustered by pair of norms. Not known: not graded by both norms, since one "
        "needs a judge, has no label, or its arm was dropped; such replies are in no share."
    )
    texts = ("followed", "Conflicting evidence: which norm is followed", note, "Condition, variant")
    return view(material.followed, columns, lambda f: f"{f.condition}, {f.variant}", lambda f: f.model, texts)


def _share(share: float, low: float, high: float) -> str:
    return f"{w.percent(share)} [{w.interval(low, high, w.bare)}]" if share == share else w.DASH
