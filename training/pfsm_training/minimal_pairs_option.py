"""The training option ``minimal_pairs``: which pairs to learn from beside what people said, and how."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.errors import PfsmError
from pfsm.runtime.yaml_keys import MINIMAL_PAIRS, unknown_key
from pfsm_training.plain_values import flag, number, whole

KEY = "minimal_pairs"
AUTO: Literal["auto"] = "auto"
ALL = "all"
REFERENCE, HYPOTHESIS = CHANGED = ("reference", "hypothesis")
# In standard deviations of the scores. Harmless changes should cost nothing.
MARGINS: Mapping[str, float] = dict(zip(SEVERITIES, (0.0, 0.25, 0.5, 1.0), strict=True))
LARGEST_WEIGHT = LARGEST_MARGIN = 1000.0


@dataclass(frozen=True)
class MinimalPairsOptions:
    """Where the pairs come from and what they ask for.

    Attributes:
        files: TSV or CSV files as `pfsm data perturb` writes them.
        kinds: Kinds or severities of the pairs that are made from the training data; empty: every kind for the
            language; None: none are made.
        without: Kinds that are left out, of the files too.
        of: What is changed: ``reference``, ``hypothesis`` (those with the best scores, or the preferred ones), or both.
        top: Share of the hypotheses that count as the best.
        number: At most so many pairs of each kind are made.
        seed: Of the changes.
        crossed: Whether a translation with a harmless change should also score above the same with a major or critical
            fault.
        weight: What the mean over the pairs weighs in terms of the mean over what people said. Cross-validation chooses
            among several values, or among the usual ones with ``auto``.
        scale: s of `pfsm_training.loss.objective.PairwiseLogistic`, in standard deviations of the scores.
        margins: By severity, how far the two sides of a pair should be apart, in standard deviations of the scores.
    """

    files: tuple[str, ...] = ()
    kinds: tuple[str, ...] | None = ()
    without: tuple[str, ...] = ()
    of: tuple[str, ...] = CHANGED
    top: float = 0.25
    number: int = 50
    seed: int = 1
    crossed: bool = False
    weight: float | Literal["auto"] | tuple[float, ...] = AUTO
    scale: float = 0.25
    margins: Mapping[str, float] = field(default_factory=lambda: dict(MARGINS))

    def decisive(self) -> list[object]:
        """What the course of a training depends on beside the pairs themselves."""
        return [self.weight, self.scale, [self.margins[name] for name in SEVERITIES]]

    def weights(self, usual: tuple[float, ...]) -> tuple[float, ...]:
        """The weights to choose from; a single one if ``weight`` is a number."""
        if self.weight == AUTO:
            return usual
        return self.weight if isinstance(self.weight, tuple) else (float(self.weight),)


def minimal_pairs_option(value: object, where: str) -> MinimalPairsOptions | None:
    """The options from plain values; None for ``false``.

    Args:
        value: ``false``, ``true``, or a mapping of options.
        where: Name of its source in errors.

    Raises:
        PfsmError: If an option is unknown or a value is invalid.
    """
    if value is False or value is None:
        return None
    given = {} if value is True else value
    where = f"{where}: {KEY}"
    if not isinstance(given, Mapping):
        raise PfsmError(f"{where} is {value!r}, it must be false, true or a mapping such as {{weight: 0.3}}")
    for key in given:
        if key not in MINIMAL_PAIRS:
            known = unknown_key(key, MINIMAL_PAIRS, "`docs/settings.md`")
            raise PfsmError(f"{where}: unknown option {key!r}; {known}")
    files = _names(given.get("file", []), "file", where)
    kinds = given.get("kinds", ALL if not files else False)
    return MinimalPairsOptions(
        files,
        None if kinds is False else () if kinds == ALL else _names(kinds, "kinds", where),
        _names(given.get("except", []), "except", where),
        _changed(given.get("of", list(CHANGED)), where),
        number(given.get("top", 0.25), "top", where, 0.0, 1.0, above=True),
        whole(given.get("number", 50), "number", where, 1),
        whole(given.get("seed", 1), "seed", where, 0),
        flag(given.get("crossed", False), "crossed", where),
        _weight(given.get("weight", AUTO), where),
        number(given.get("scale", 0.25), "scale", where, 0.0, LARGEST_MARGIN, above=True),
        _margins(given.get("margins", {}), where),
    )


def _names(value: object, key: str, where: str) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a name or a list of names")
    return tuple(dict.fromkeys(names))


def _changed(value: object, where: str) -> tuple[str, ...]:
    names = _names(value, "of", where)
    for name in names:
        if name not in CHANGED:
            raise PfsmError(
                f"{where}: of has {name!r}, it must be one of {', '.join(CHANGED)}, or both in a list"
            )
    if not names:
        raise PfsmError(f"{where}: of is empty, it must be one of {', '.join(CHANGED)}, or both in a list")
    return names


def _weight(value: object, where: str) -> float | Literal["auto"] | tuple[float, ...]:
    if value == AUTO:
        return AUTO
    if isinstance(value, list | tuple) and value:
        return tuple(sorted({number(one, "weight", where, 0.0, LARGEST_WEIGHT) for one in value}))
    if isinstance(value, str | list | tuple):
        raise PfsmError(f"{where}: weight is {value!r}, it must be a number, a list of them, or {AUTO}")
    return number(value, "weight", where, 0.0, LARGEST_WEIGHT)


def _margins(value: object, where: str) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise PfsmError(f"{where}: margins is {value!r}, it must be a mapping such as {{critical: 1}}")
    for key in value:
        if key not in SEVERITIES[1:]:
            raise PfsmError(f"{where}: margins has {key!r}, the severities are {', '.join(SEVERITIES[1:])}")
    given: Mapping[str, Any] = value
    return {
        name: number(given.get(name, MARGINS[name]), f"margins: {name}", where, 0.0, LARGEST_MARGIN)
        for name in SEVERITIES
    }
