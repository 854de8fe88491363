"""Names of the metrics over semantic roles: those of Giménez and Màrquez (2009), in lower case.

``sr-or-*`` is the average over all roles, ``sr-or-A0`` counts one role, ``sr-or`` counts roles without their words.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.errors import PfsmError
from pfsm.metrics.analysed import AnalysedMetric, Compute
from pfsm.metrics.metric_group import MetricGroup, parse_name
from pfsm.metrics.roles.expected import expected_scores
from pfsm.metrics.roles.layers import LAYERS, ROLES, RoleLayer, has_arguments, may_have_arguments
from pfsm.metrics.syntax.overlap import Measure, average_overlap, layer_scores, pooled_overlap
from pfsm.metrics.syntax.overlap_options import AVERAGE, PARSER, TYPES, Option, read_options

Float = NDArray[np.float64]
Options = Mapping[str, Any]
ALL, EXPECTED = "*", "expected"
_EXPECTED = {EXPECTED: Option(False, lambda value: isinstance(value, bool), "true or false")}
_ROLE = r"[A-Z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"


@dataclass(frozen=True)
class _Kind:
    """What is compared.

    Attributes:
        layer: Name of the layer.
        what: The metric in words.
    """

    layer: str
    what: str


_BY_ROLE: Mapping[str, _Kind] = {
    "sr-or": _Kind("or", "words in arguments with the same semantic role"),
    "sr-mr": _Kind("mr", "arguments with the same semantic role and the same words"),
    "sr-orv": _Kind("orv", "words in arguments with the same semantic role of the same verb"),
    "sr-mrv": _Kind("mrv", "arguments with the same semantic role and words of the same verb"),
}
_LABELS: Mapping[str, _Kind] = {
    "sr-or": _Kind("labels", "overlap of semantic roles, without their words"),
    "sr-orv": _Kind("verbs", "overlap of verbs with their semantic roles, without the roles' words"),
}


class RoleFamily(MetricGroup):
    """``sr-or-*``, ``sr-or-ROLE``, ``sr-or`` and their like."""

    def knows(self, name: str) -> bool:
        """Whether it is a metric over roles, of whatever role."""
        stem, only = _taken_apart(name)
        return stem in (_BY_ROLE if only else _LABELS)

    def is_metric(self, name: str) -> bool:
        """All of them are."""
        return self.knows(name)

    def describe(self, name: str) -> str:
        """A metric in half a line."""
        stem, only = _taken_apart(name)
        if not only:
            return _LABELS[stem].what
        return f"{_BY_ROLE[stem].what}, {'mean over roles' if only == ALL else only}"


def _taken_apart(name: str) -> tuple[str, str]:
    """The first two parts of ``sr-or-A0``, and what follows; nothing where nothing follows."""
    parts = name.partition("(")[0].split("-", 2)
    # A hyphen with nothing behind it is no name.
    return "-".join(parts[:2]) if parts[-1] else "", parts[2] if len(parts) == 3 else ""


def role_metric(name: str, options: Options) -> AnalysedMetric:
    """An overlap over semantic roles. Several references: the best one counts.

    Args:
        name: ``sr-or-*``, ``sr-or-A0``, ``sr-or`` and so on, options in parentheses.
        options: ``parser``; ``expected``: whether possible arguments count by their probabilities, instead of those
            that the labeller decides for (default: false); of averages ``average``: over ``types`` (the default),
            each counting alike, or over all ``elements`` together.

    Raises:
        PfsmError: If there is no such option or value, or the role is none.
    """
    parsed = parse_name(name)
    if parsed.part:
        raise PfsmError(f"metric {name}: has no parts, but {parsed.part!r} follows the point")
    stem, only = _taken_apart(parsed.base)
    kind = (_BY_ROLE if only else _LABELS)[stem]
    if only not in {"", ALL} and not re.fullmatch(_ROLE, only):
        raise PfsmError(f"metric {parsed.base}: {only!r} is no semantic role; write it as in {stem}-A0")
    known = PARSER | _EXPECTED | (AVERAGE if only == ALL else {})
    chosen = read_options(parsed.base, {**parsed.options, **options}, known)
    average = chosen.get("average", TYPES)
    entries = {"layer": f"roles-{kind.layer}", "type": only if only not in {"", ALL} else "all", "case": "lc"}
    if only == ALL:
        entries["average"] = average
    expected = chosen[EXPECTED]
    entries[EXPECTED] = str(expected).lower()
    pooled = not only or average != TYPES
    return AnalysedMetric(
        parsed.base,
        entries,
        chosen["parser"],
        ROLES,
        _scorer(LAYERS[kind.layer], None if only in {"", ALL} else only, expected=expected, pooled=pooled),
        may_have_arguments if expected else has_arguments,
    )


def _scorer(layer: RoleLayer, only: str | None, *, expected: bool, pooled: bool) -> Compute:
    measure: Measure = pooled_overlap if pooled else average_overlap

    def compute(hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        scores = (
            expected_scores(hypotheses, references, layer, only, pooled=pooled)
            if expected
            else layer_scores(hypotheses, references, layer.layer, measure, only)
        )
        return scores[:, np.newaxis]

    return compute


GROUPS: tuple[MetricGroup, ...] = (
    RoleFamily(
        {
            **{f"{stem}-{ALL}": f"{kind.what}, mean over roles" for stem, kind in _BY_ROLE.items()},
            **{stem: kind.what for stem, kind in _LABELS.items()},
        },
        role_metric,
    ),
)
