"""Metrics over semantic roles (SR of Giménez and Màrquez 2009, appendix A), named as there, in lower case.

``sr-or-*`` is the average over all roles, ``sr-or-A0`` counts one role, ``sr-or`` counts roles without their words.

==========  =============================  ==================================
layer       type                           items
==========  =============================  ==================================
``or``      role, such as A0 or AM-TMP     the words of such arguments
``mr``      role                           the arguments, each a word sequence
``orv``     role                           (predicate's lemma, word)
``mrv``     role                           (predicate's lemma, argument)
``labels``  one for all                    roles, without words
``verbs``   one for all                    (predicate's lemma, role)
==========  =============================  ==================================

Words and lemmas are in lower case. A word in two arguments with the same role, of two predicates, counts twice. Every
layer is there in a line that has an argument; a line without arguments, an empty one too, has no analysis.

With the option ``expected`` one wrong decision of the labeller does not decide a score. An element e counts as often
as is expected: the sum of the probabilities of the arguments that it is in. With h_e and r_e these expectations in
hypothesis and reference, O_t = sum min(h_e, r_e) / sum max(h_e, r_e) over the elements of type t. The average over
types weighs each by the probability that either line has it,

    w_t = 1 - prod over possible arguments a of type t, in both lines, of (1 - p(a)),

so that a type which hardly occurs hardly counts. With certain roles this is the plain overlap.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.metric_group import MetricGroup, typed_family
from pfsm.runtime.options import Options, flag
from pfsm_linguistics.analysis.roles import Argument, Frame
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.metrics.analysed import AnalysedMetric
from pfsm_linguistics.metrics.syntax.overlap import (
    Measure,
    average_overlap,
    layer_scores,
    pooled_overlap,
    read_typed,
)
from pfsm_linguistics.metrics.syntax.trees import Element, Layer, words_of

ROLES = Wanted(roles=True)
_ALL = ""
# The (type, item) elements of one argument: of its frame, itself and the words of the line.
OfArgument = Callable[[Frame, Argument, Sequence[str]], list[Element]]


def _elements(
    analysis: Analysis, of_argument: OfArgument, *, expected: bool = False
) -> Iterator[tuple[Element, float]]:
    """Elements of the arguments of a line that count, with the probability of their argument."""
    words = words_of(analysis)
    for frame in analysis.frames or ():
        for argument in _counting(frame, expected=expected):
            for element in of_argument(frame, argument, words):
                yield element, argument.probability


def _counting(frame: Frame, *, expected: bool) -> tuple[Argument, ...]:
    """All possible arguments, or those decided for; a word that is less likely a predicate than not has none then."""
    if expected:
        return frame.possible
    return frame.arguments if frame.is_likely else ()


def _has_arguments(analysis: Analysis, *, expected: bool = False) -> bool:
    """Whether a line has an argument that counts; refuses a parser that gives trees but no roles."""
    if analysis.frames is None and analysis.tokens and not analysis.is_failed:
        raise PfsmError(
            "the parser gives no semantic roles, which this metric needs; choose another, or give a file of roles, "
            "as in parser=file:roles.conllu"
        )
    return any(_counting(frame, expected=expected) for frame in analysis.frames or ())


def _words(_: Frame, argument: Argument, words: Sequence[str]) -> list[Element]:
    return [(argument.label, words[word]) for word in argument.words]


def _whole(_: Frame, argument: Argument, words: Sequence[str]) -> list[Element]:
    return [(argument.label, tuple(words[word] for word in argument.words))]


def _with_verb(of_argument: OfArgument) -> OfArgument:
    def elements(frame: Frame, argument: Argument, words: Sequence[str]) -> list[Element]:
        return [(label, (frame.lemma, item)) for label, item in of_argument(frame, argument, words)]

    return elements


def _label(_: Frame, argument: Argument, words: Sequence[str]) -> list[Element]:  # noqa: ARG001
    return [(_ALL, argument.label)]


LAYERS: Mapping[str, OfArgument] = {
    "or": _words,
    "mr": _whole,
    "orv": _with_verb(_words),
    "mrv": _with_verb(_whole),
    "labels": _label,
    "verbs": _with_verb(_label),
}


@dataclass
class _Line:
    """What is expected of a line: by type, how often each item, and the probability that there is no argument of it."""

    is_there: bool
    counts: dict[str, dict[object, float]] = field(default_factory=lambda: defaultdict(dict))
    absent: dict[str, float] = field(default_factory=dict)


def _expected_scores(
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    of_argument: OfArgument,
    only: str | None,
    *,
    pooled: bool,
) -> Float:
    """Expected overlaps of pairs, float64 [n_pairs], 0 to 1; 0 where a line has no possible argument."""
    known: dict[int, _Line] = {}
    for one in (*hypotheses, *references):
        if id(one) not in known:
            known[id(one)] = _line(one, of_argument, only)
    pairs = zip(hypotheses, references, strict=True)
    return np.array([_score(known[id(h)], known[id(r)], pooled) for h, r in pairs], dtype=np.float64)


def _line(analysis: Analysis, of_argument: OfArgument, only: str | None) -> _Line:
    line = _Line(_has_arguments(analysis, expected=True))
    certain: dict[tuple[str, object], list[float]] = defaultdict(list)
    for element, probability in _elements(analysis, of_argument, expected=True):
        if only in {None, element[0]}:
            certain[element].append(probability)
    for (kind, item), probabilities in certain.items():
        line.counts[kind][item] = math.fsum(probabilities)
    for frame in analysis.frames or ():
        for argument in frame.possible:
            kinds = {kind for kind, _ in of_argument(frame, argument, list(analysis.tokens))}
            for kind in kinds & set(line.counts):
                line.absent[kind] = line.absent.get(kind, 1.0) * (1.0 - argument.probability)
    return line


def _score(ours: _Line, theirs: _Line, pooled: bool) -> float:
    if not (ours.is_there and theirs.is_there):
        return 0.0
    over, under, weights = [], [], []
    for kind in sorted(set(ours.counts) | set(theirs.counts)):
        h, r = ours.counts.get(kind, {}), theirs.counts.get(kind, {})
        items = h.keys() | r.keys()
        over.append(math.fsum(min(h.get(item, 0.0), r.get(item, 0.0)) for item in items))
        under.append(math.fsum(max(h.get(item, 0.0), r.get(item, 0.0)) for item in items))
        weights.append(1.0 - ours.absent.get(kind, 1.0) * theirs.absent.get(kind, 1.0))
    if pooled:
        over, under, weights = [math.fsum(over)], [math.fsum(under)], [1.0]
    total = math.fsum(weights) if any(under) else 0.0
    if not total:
        return 1.0
    parts = [w * a / b for a, b, w in zip(over, under, weights, strict=True) if b > 0]
    return min(1.0, math.fsum(parts) / total)


EXPECTED = "expected"
_ROLE = r"[A-Z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"


# Of each stem the layer that types are compared in, or the one without types, and the metric in words.
_BY_ROLE = {
    "sr-or": ("or", "words in arguments with the same semantic role"),
    "sr-mr": ("mr", "arguments with the same semantic role and the same words"),
    "sr-orv": ("orv", "words in arguments with the same semantic role of the same verb"),
    "sr-mrv": ("mrv", "arguments with the same semantic role and words of the same verb"),
}
_LABELS = {
    "sr-or": ("labels", "overlap of semantic roles, without their words"),
    "sr-orv": ("verbs", "overlap of verbs with their semantic roles, without the roles' words"),
}


def _role_metric(name: str, options: Options) -> AnalysedMetric:
    """``sr-or-*``, ``sr-or-A0``, ``sr-or`` and so on. Several references: the best one counts."""
    typed = read_typed(name, options, _check_role, {EXPECTED: flag(False)})
    has_types = typed.base.count("-") > 1
    layer = (_BY_ROLE if has_types else _LABELS)[typed.stem][0]
    expected = typed.options[EXPECTED]
    pooled = not has_types or typed.is_pooled
    measure: Measure = pooled_overlap if pooled else average_overlap
    of_argument = LAYERS[layer]
    decided = Layer(lambda line: [one for one, _ in _elements(line, of_argument)], _has_arguments, ROLES, 0.0)

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        if expected:
            scores = _expected_scores(hypotheses, references, of_argument, typed.only, pooled=pooled)
        else:
            scores = layer_scores(hypotheses, references, decided, measure, typed.only)
        return scores[:, np.newaxis]

    entries = {
        "layer": f"roles-{layer}",
        "type": typed.entries["type"],
        "case": "lc",
        **typed.entries,
        EXPECTED: str(expected).lower(),
    }
    understood = partial(_has_arguments, expected=expected)
    return AnalysedMetric(typed.base, entries, typed.options["parser"], ROLES, compute, understood)


def _check_role(name: str, stem: str, only: str) -> None:
    if not re.fullmatch(_ROLE, only):
        raise PfsmError(f"metric {name}: {only!r} is not a semantic role; write it as in {stem}-A0")


GROUPS: tuple[MetricGroup, ...] = (
    typed_family({stem: what for stem, (_, what) in _BY_ROLE.items()}, "mean over roles", _role_metric),
    MetricGroup({stem: what for stem, (_, what) in _LABELS.items()}, _role_metric),
)
