"""Plug-ins of every kind, good ones and some with a fault each: what the tests of the checks install."""

MATCHERS = """
    import numpy as np
    from pfsm.errors import PfsmError
    from pfsm.matchers.plugin import Annotations, MatcherPlugin, Offers

    def rows(pairs):
        n = [np.diff(side.offsets) for side in (pairs.references, pairs.hypotheses)]
        return [(k, 0, 1, 0, 1) for k in range(len(pairs)) if n[0][k] and n[1][k]]

    def offers(some, name="", values=()):
        blocks = np.array(some, dtype=np.int32).reshape(-1, 5)
        if not name:
            return Offers(blocks)
        n = len(blocks)
        return Offers(blocks, (f"{name}:x",), np.arange(n), np.zeros(n, dtype=np.int32), np.resize(values, n))

    class Good(MatcherPlugin):
        name = "good"
        def offers(self, pairs):
            return offers(rows(pairs), "good", [0.5])
        @property
        def resources(self):
            return ("table@0123abcd",)

    def matcher(name, found):
        return type(name.capitalize(), (MatcherPlugin,), {"name": name, "offers": lambda self, pairs: found(pairs)})

    Outside = matcher("outside", lambda pairs: offers([(0, 500, 1, 0, 1)]))
    Batch = matcher("batch", lambda pairs: offers(rows(pairs), "batch", [len(pairs)]))

    class Lax(MatcherPlugin):
        name = "lax"
        @classmethod
        def check(cls, options, where):
            return {"a": 1}
        def offers(self, pairs):
            return offers(rows(pairs))

    class Grows(MatcherPlugin):
        name = "grows"
        @classmethod
        def check(cls, options, where):
            for key in options:
                if key != "a":
                    raise PfsmError(f"{where}: unknown option {key!r}")
            return {"a": options.get("a", 0) + 1}
        def offers(self, pairs):
            return offers(rows(pairs))

    class Spaces(MatcherPlugin):
        name = "spaces"
        def offers(self, pairs):
            return offers(rows(pairs))
        @property
        def resources(self):
            return ("my table",)

    class Notes(MatcherPlugin):
        name = "notes"
        state = ""
        def offers(self, pairs):
            return offers([])
        def annotate(self, pairs, blocks):
            return Annotations(("notes:n",), [(k, 0, 1.0) for k in range(len(blocks))], ("link:n",), [])
"""
MATCHER_POINTS = {
    name: f"bad:{name.capitalize()}"
    for name in (
        "good", "outside", "batch", "lax", "grows", "spaces", "notes",
    )
}  # fmt: skip

TEXTS = """
    import multiprocessing
    from pfsm_linguistics.analysis.sentence import Analysis
    from pfsm.data.formats import Format, Judgment, Reading
    from pfsm.text.chunks import Tokeniser

    SEEN = []

    def words(line): return line.split()
    def elsewhere(line): return line.split() + ["here"] * (multiprocessing.parent_process() is not None)
    def moody(line):
        SEEN.append(line)
        return line.split() + ["again"] * (SEEN.count(line) % 2)
    def first(stems): return [word[:3] for word in stems]
    def placed(stems): return [f"{word}{number}" for number, word in enumerate(stems)]

    class Words:
        label = "words"
        def __init__(self, argument): pass
        def analyse(self, lines, wanted):
            return [Analysis(tuple(line.split()), (0,) if line.split() else ()) for line in lines]

    class Spaced(Words):
        label = "my words"

    class Tagged(Words):
        label = "tagged"
        def analyse(self, lines, wanted):
            return [
                Analysis(tuple(words), (0,) if words else (), tuple(str(len(lines)) for _ in words))
                for words in map(str.split, lines)
            ]

    def reader(score):
        def read(paths, options):
            for path in paths:
                open(path).close()
            columns = ("reference", "hypothesis", "score")
            return Reading(Judgment, columns, iter([Judgment(references=("a",), hypothesis="b", score=score)]))
        return read

    GOOD = Format("good", "good", frozenset(), reader(1.0))
    NAN = Format("nan", "not a number", frozenset(), reader(float("nan")))
    SILENT = Format("silent", "no errors", frozenset(), lambda paths, _: reader(1.0)([], _))
    NONE = Format("none", "", frozenset(), reader(1.0))
    DREAMS = Format("dreams", "of files", frozenset(), lambda *_: Reading(Judgment, (), iter([])))
"""
TEXT_POINTS = {
    "tokeniser": {name: f"texts:{name}" for name in ("words", "elsewhere", "moody")},
    "stemmer": {name: f"texts:{name}" for name in ("first", "placed")},
    "analyser": {name: f"texts:{name.capitalize()}" for name in ("words", "spaced", "tagged")},
    "page": {"leaf": "texts:words"},
    "format": {name: f"texts:{name.upper()}" for name in ("good", "nan", "silent", "none", "dreams")},
}

NUMBERS = '''
    import numpy as np
    from pfsm.metrics.base import SegmentMetric

    class Good(SegmentMetric):
        """Letters in common."""
        name = "good"
        def score_pairs(self, hypotheses, references):
            pairs = zip(hypotheses, references, strict=True)
            return np.array([len(set(ours) & set(theirs)) for ours, theirs in pairs], dtype=float)

    class Pooled(Good):
        name = "pooled"
        def pair_statistics(self, hypotheses, references):
            pairs = zip(hypotheses, references, strict=True)
            return np.array([[len(set(one)), len(other)] for one, other in pairs]).reshape(-1, 2)
        def corpus_from_totals(self, totals):
            return totals[..., 0] / np.maximum(totals[..., 1], 1)

    class Rank(Good):
        name = "rank"
        def score_pairs(self, hypotheses, references):
            return np.argsort(np.argsort(super().score_pairs(hypotheses, references), kind="stable")).astype(float)

    class Honest(Rank):
        name = "honest"
        is_independent = False
        is_additive = False

    class Nan(Good):
        name = "nan"
        def score_pairs(self, hypotheses, references):
            return super().score_pairs(hypotheses, references) * np.nan

    class Longest(Good):
        name = "longest"
        def score_pairs(self, hypotheses, references):
            return super().score_pairs(hypotheses, references) / max(map(len, references))

    class Unequal(Good):
        name = "unequal"
        def segment_scores(self, hypotheses, references):
            return super().segment_scores(hypotheses, references) + len(references)

    class Mistaken(Pooled):
        name = "mistaken"
        def corpus_score(self, hypotheses, references):
            score = super().corpus_score(hypotheses, references)
            return type(score).of(float(score) + 1.0, score.name, score.signature)

    class Parted(Good):
        name = "parted"
        def named_parts(self, hypotheses, references):
            return {"one": np.ones(1)}

    class Unsigned(Good):
        name = "unsigned"
        def get_signature(self, nrefs=1, level="segment"):
            return "nrefs:1"

    def place(hypotheses, references):
        "Places."
        return np.arange(len(hypotheses), dtype=float)
    def commas(hypotheses, references):
        "Commas."
        return [float(line.count(",")) for line in hypotheses]

    def spread(metric, human): return float(np.std(metric - human))
    def first(metric, human): return float(metric[0])
    def both(metric, human): return metric * human
    def sorts(metric, human):
        metric.sort()
        return float(metric @ human)
    def infinite(metric, human): return float("inf") if np.std(metric) == 0 else 1.0
'''
METRICS = (
    "good", "pooled", "rank", "honest", "nan", "longest", "unequal", "mistaken", "unsigned", "parted",
)  # fmt: skip
NUMBER_POINTS = {
    "metric": {name: f"numbers_of_mine:{name.capitalize()}" for name in METRICS},
    "feature": {name: f"numbers_of_mine:{name}" for name in ("place", "commas")},
    "statistic": {
        name: f"numbers_of_mine:{name}" for name in ("spread", "first", "both", "sorts", "infinite")
    },
}

POINTS = {"matcher": MATCHER_POINTS, **TEXT_POINTS, **NUMBER_POINTS}
"""Entry points by kind: names and where they are."""
MODULES = {"bad": MATCHERS, "texts": TEXTS, "numbers_of_mine": NUMBERS}
