"""Small sentences, structures, and a small parser with random weights, for tests that need no trained one."""

import numpy as np

from pfsm_linguistics.analysis.clauses import Clause, Drs
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.labeller.label import noun_key
from pfsm_linguistics.labeller.weights import NominalWeights, RoleWeights
from pfsm_linguistics.parser.weights import Matrix, ParserWeights

CONLLU = """\
# sent_id = 1
# text = We don't sing, Anna.
1\tWe\twe\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tsing\tsing\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t,\t,\tPUNCT\t,\t_\t6\tpunct\t_\t_
5.1\tx\tx\t_\t_\t_\t_\t_\t_\t_
6\tAnna\tAnna\tPROPN\tNNP\t_\t4\tvocative\t_\tSpaceAfter=No
7\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_
"""

ROLE_LABELS = ("A0", "A1", "C-A1", "AM-TMP")
INVENTORIES = {
    "words": ("the", "sees", "cat"),
    "vector_words": ("the", "cat", "dog", "."),
    "characters": tuple("abcdefghijklmnopqrstuvwxyz."),
    "upos": ("DET", "NOUN", "VERB"),
    "xpos": ("DT", "NN", "VBZ", "."),
    "labels": ("root", "nsubj", "obj", "det"),
    "span_labels": ("", "NP", "S", "S+VP"),
}
SIZES = {
    "word": 6, "vector": 5, "character": 4, "filters": 7, "hidden": 8, "arc": 5, "label": 4, "tag": 6, "span": 5,
}  # fmt: skip


def random_weights(seed: int = 0) -> ParserWeights:
    """A parser that knows nothing."""
    random = np.random.default_rng(seed)

    def matrix(*shape: int) -> Matrix:
        return random.normal(scale=0.5, size=shape).astype(np.float32)

    s, names = SIZES, INVENTORIES
    hidden, inputs = 2 * s["hidden"], s["word"] + s["vector"] + s["filters"]
    arrays = {
        "words": matrix(len(names["words"]) + 1, s["word"]),
        "vectors": matrix(len(names["vector_words"]) + 1, s["vector"]),
        "characters": matrix(len(names["characters"]) + 4, s["character"]),
        "filters.weight": matrix(s["filters"], 3 * s["character"]),
        "filters.bias": matrix(s["filters"]),
        "root_arc": matrix(s["arc"]),
        "root_label": matrix(s["label"]),
        "arcs": matrix(s["arc"] + 1, s["arc"] + 1),
        "labels": matrix(len(names["labels"]) * (s["label"] + 1), s["label"] + 1),
        "spans": matrix(s["span"] + 1, s["span"] + 1),
        "span_labels": matrix(len(names["span_labels"]) * (s["label"] + 1), s["label"] + 1),
    }
    for direction in ("forward", "backward"):
        arrays[f"lstm.0.{direction}.input"] = matrix(4 * s["hidden"], inputs)
        arrays[f"lstm.0.{direction}.recurrent"] = matrix(4 * s["hidden"], s["hidden"])
        arrays[f"lstm.0.{direction}.bias"] = matrix(4 * s["hidden"])
    layers = {
        "tag_layer": (s["tag"], hidden), "upos": (len(names["upos"]), s["tag"]), "xpos": (len(names["xpos"]), s["tag"]),
        "starts": (1, hidden), "arc_dependent": (s["arc"], hidden), "arc_head": (s["arc"], hidden),
        "label_dependent": (s["label"], hidden), "label_head": (s["label"], hidden),
        "span_left": (s["span"], hidden), "span_right": (s["span"], hidden),
        "span_label_left": (s["label"], hidden), "span_label_right": (s["label"], hidden),
    }  # fmt: skip
    for name, shape in layers.items():
        arrays[f"{name}.weight"], arrays[f"{name}.bias"] = matrix(*shape), matrix(shape[0])
    temperatures = {"arcs": 1.0, "labels": 1.5, "spans": 1.0}
    return ParserWeights("random", "CC0", {"data": "none"}, names, temperatures, arrays)


def role_weights(seed: int = 0, nominal: NominalWeights | None = None) -> RoleWeights:
    """A labeller that knows nothing; of nouns, what is given."""
    random = np.random.default_rng(seed)
    n_labels = len(ROLE_LABELS) + len(nominal.labels if nominal else ())

    def matrix(*shape: int) -> Matrix:
        return random.normal(scale=0.3, size=shape).astype(np.float32)

    # Word vectors of 5, tags and relations of 3, states of 4 in each direction, 8 hidden units and 2 pairs.
    arrays = {
        "tags": matrix(5, 3), "relations": matrix(5, 3), "features": matrix(50, 8),
        "output": matrix(10, n_labels), "bias": matrix(8), "output_bias": matrix(n_labels),
        **{name: matrix(13, 10) for name in ("predicate", "head", "first", "last")},
    }  # fmt: skip
    for name, inputs in (("ahead.0", 16), ("back.0", 16), ("ahead.1", 8), ("back.1", 8)):
        arrays |= {
            f"{name}.input": matrix(inputs, 16),
            f"{name}.recurrent": matrix(4, 16),
            f"{name}.bias": matrix(16),
        }
    keys = random.choice(1 << 24, size=50, replace=False).astype(np.int32)
    return RoleWeights("random", "none", {}, ROLE_LABELS, 1.25, 0.1, keys, arrays, nominal=nominal)


def nominal_weights(bias: float = 0.0, **features: float) -> NominalWeights:
    """Nouns of a labeller of `role_weights`, by their lemmas alone: the log-odds of each, and of others."""
    known = sorted((noun_key(f"l {lemma}"), weight) for lemma, weight in {"": 0.0, **features}.items())
    keys, weights = (np.array(column) for column in zip(*known, strict=True))
    state = np.zeros(13, dtype=np.float32)
    return NominalWeights(keys.astype(np.int32), weights.astype(np.float32), state, (), bias, 1.5, 0.1)


def analysed(text: str) -> Analysis:
    """A line of one sentence from ``FORM UPOS XPOS HEAD LABEL`` between semicolons."""
    rows = [row.split() for row in text.strip(";").split(";")]
    forms, upos, xpos, heads, labels = zip(*rows, strict=True)
    return Analysis(forms, (0,), upos, xpos, (DependencyTree(tuple(map(int, heads)), labels),))


def drs(text: str) -> Drs:
    """A structure from clauses between semicolons."""
    rows = [row.split() for row in text.split(";")]
    return Drs(tuple(Clause(row[0], row[1], tuple(row[2:])) for row in rows))
