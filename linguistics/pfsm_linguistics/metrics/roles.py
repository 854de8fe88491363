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
"""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.metric_group import MetricGroup
from pfsm.runtime.typed import Options
from pfsm_linguistics.analysis.roles import Argument, Frame
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.metrics.analysed import AnalysedMetric
from pfsm_linguistics.metrics.families import typed_family
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


def _elements(analysis: Analysis, of_argument: OfArgument) -> list[Element]:
    """Return the elements of the arguments of a line; a word that is less likely a predicate than not has none."""
    words = words_of(analysis)
    return [
        element
        for frame in analysis.frames or ()
        if frame.is_likely
        for argument in frame.arguments
        for element in of_argument(frame, argument, words)
    ]


def _has_arguments(analysis: Analysis) -> bool:
    """Whether a line has an argument; refuses a parser that gives trees but no roles."""
    if analysis.frames is None and analysis.tokens and not analysis.is_failed:
        raise PfsmError(
            "the parser gives no semantic roles, which this metric needs; choose another, or give a file of roles, "
            "as in parser=file:roles.conllu"
        )
    return any(frame.is_likely and frame.arguments for frame in analysis.frames or ())


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
    typed = read_typed(name, options, _check_role)
    has_types = typed.base.count("-") > 1
    layer = (_BY_ROLE if has_types else _LABELS)[typed.stem][0]
    measure: Measure = pooled_overlap if not has_types or typed.is_pooled else average_overlap
    decided = Layer(lambda line: _elements(line, LAYERS[layer]), _has_arguments, ROLES, 0.0)

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        return layer_scores(hypotheses, references, decided, measure, typed.only)[:, np.newaxis]

    entries = {"layer": f"roles-{layer}", "type": typed.entries["type"], "case": "lc", **typed.entries}
    return AnalysedMetric(typed.base, entries, typed.options["parser"], ROLES, compute, _has_arguments)


def _check_role(name: str, stem: str, only: str) -> None:
    if not re.fullmatch(_ROLE, only):
        raise PfsmError(f"metric {name}: {only!r} is not a semantic role; write it as in {stem}-A0")


GROUPS: tuple[MetricGroup, ...] = (
    typed_family({stem: what for stem, (_, what) in _BY_ROLE.items()}, "mean over roles", _role_metric),
    MetricGroup({stem: what for stem, (_, what) in _LABELS.items()}, _role_metric),
)
