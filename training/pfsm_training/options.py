"""Options of a training that are mappings, and checks of plain values from a YAML file."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.embeddings.encoders import DEFAULT_SOURCE, SHIPPED, check_source
from pfsm.errors import PfsmError
from pfsm.runtime import names as yaml_keys
from pfsm.runtime.names import unknown_key

AUTO: Literal["auto"] = "auto"
WEIGHTS, MINIMAL_PAIRS = "weights", "minimal_pairs"

HEAD, LORA, FULL = TUNED = ("head", "lora", "full")
SINGLE, HALF = PRECISIONS = ("float32", "bfloat16")

LARGEST_NOISE = 1e6

ALL = "all"
REFERENCE, HYPOTHESIS = CHANGED = ("reference", "hypothesis")
# In standard deviations of the scores. Harmless changes should cost nothing.
MARGINS: Mapping[str, float] = dict(zip(SEVERITIES, (0.0, 0.25, 0.5, 1.0), strict=True))
LARGEST_WEIGHT = LARGEST_MARGIN = 1000.0
# One number, several to choose from by cross-validation, or the usual ones.
Values = float | Literal["auto"] | tuple[float, ...]


def number(
    value: object, key: str, where: str, least: float, most: float, *, above: bool = False, others: str = ""
) -> float:
    """A number within bounds, or a `PfsmError` that names the key and other values that may be given.

    ``above``: the least is excluded.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most or (above and value == least):  # type: ignore[operator]
        low = f"above {least:g} and at most {most:g}" if above else f"from {least:g} to {most:g}"
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a number {low}{others}")
    return float(value)  # type: ignore[arg-type]


def flag(value: object, key: str, where: str) -> bool:
    """True or false, or a `PfsmError` that names the key."""
    if not isinstance(value, bool):
        raise PfsmError(f"{where}: {key} is {value!r}, it must be true or false")
    return value


def whole(value: object, key: str, where: str, least: int) -> int:
    """A whole number from ``least``, or a `PfsmError` that names the key."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a whole number from {least}")
    return value


def choice(value: object, key: str, known: tuple[str, ...], where: str) -> str:
    """One of some names, or a `PfsmError` that names the key."""
    if value not in known:
        raise PfsmError(f"{where}: {key} is {value!r}, it must be one of {', '.join(known)}")
    return str(value)


def one_or_several(value: object, key: str, where: str, most: float) -> Values:
    """A number from 0, a list of numbers, or ``auto``; or a `PfsmError` that names the key."""
    if value == AUTO:
        return AUTO
    if isinstance(value, list | tuple) and value:
        return tuple(sorted({_from_0(one, key, where, most) for one in value}))
    return _from_0(value, key, where, most)


def _from_0(value: object, key: str, where: str, most: float) -> float:
    if isinstance(value, str):
        # YAML 1.1 reads 1e-3, without a decimal point, as text.
        with contextlib.suppress(ValueError):
            value = float(value)
    return number(value, key, where, 0.0, most, others=", a list of them, or auto")


def to_choose_from(values: Values, usual: tuple[float, ...]) -> tuple[float, ...]:
    """The values that cross-validation chooses from; a single one if a number was given."""
    if values == AUTO:
        return usual
    return values if isinstance(values, tuple) else (float(values),)


@dataclass(frozen=True)
class EncoderOptions:
    """What to learn over an encoder.

    Attributes:
        tune: ``head``: a projection of its states, weights of pieces, and a machine over them; the encoder itself stays
            as it is. ``lora``: its layers too, by matrices of low rank that are added to theirs (Hu et al., 2022).
            ``full``: all weights of its layers; the embeddings stay as they are.
        source: The encoder, as `pfsm.embeddings.encoders` names them.
        layers: Number of the last layer that is used; None: all.
        precision: Of the matrix products in training where layers are tuned. ``bfloat16`` is some four times as fast on
            processors with matrix units, and slower on others. Scores are computed in float32 in any case.
        minimal_pairs: What the mean over minimal pairs weighs in terms of the mean over what people said; 0: nothing is
            learned from them over the encoder.
    """

    tune: str = HEAD
    source: str = DEFAULT_SOURCE
    layers: int | None = None
    precision: str = SINGLE
    minimal_pairs: float = 0.0

    def decisive(self, source: str) -> list[Any]:
        """What the course of a training depends on; ``source`` with its checksum."""
        usual = self.layers is None and self.precision == SINGLE
        return [
            *(self.tune, source),
            *([] if usual else [self.layers, self.precision]),
            *([self.minimal_pairs] if self.minimal_pairs else []),
        ]


def encoder_option(value: object, where: str) -> EncoderOptions | None:
    """``false``, a mapping of options, or the name of a shipped encoder, over which a head is learned."""
    if value is False:
        return None
    if isinstance(value, str):
        value = {"tune": HEAD, "source": check_source(f"{SHIPPED}{value}", f"{where}: encoder")}
    if not isinstance(value, Mapping) or "tune" not in value:
        raise PfsmError(
            f"{where}: encoder is {value!r}, it must be false, the name of a shipped encoder, "
            f"or {{tune: {' | '.join(TUNED)}}}"
        )
    _check_options(value, "encoder", yaml_keys.ENCODER, where)
    return EncoderOptions(
        choice(value["tune"], "encoder: tune", TUNED, where),
        check_source(value.get("source", DEFAULT_SOURCE), f"{where}: encoder: source"),
        None if value.get("layers") is None else whole(value["layers"], "encoder: layers", where, 1),
        choice(value.get("precision", SINGLE), "encoder: precision", PRECISIONS, where),
        number(value.get(MINIMAL_PAIRS, 0.0), MINIMAL_PAIRS, f"{where}: encoder", 0.0, LARGEST_WEIGHT),
    )


@dataclass(frozen=True)
class WeightOptions:
    """Where the weights of judgments come from.

    With `rater_noise` k, a mean over n raters counts as ``n / (n + k)`` judgments by very many raters. That is the
    precision of its score: k is the variance of one rater's noise in units of the variance of the errors that a model
    would make if there were no such noise. With k = (1 - r) / r it is the reliability of the mean by the formula of
    Spearman (1910) and Brown (1910), r being that of one rater.

    Attributes:
        column: The column of the judgments that holds a number of raters or a weight.
        rater_noise: k; None: the column holds the weights themselves.
    """

    column: str
    rater_noise: float | None = None

    def of(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights, float64 [n], from the numbers of the column."""
        if self.rater_noise is None:
            return numbers
        nothing = np.zeros(numbers.size)
        return np.divide(numbers, numbers + self.rater_noise, out=nothing, where=numbers > 0.0)

    def to_dict(self) -> dict[str, object]:
        """For the record of a model file."""
        noise = {} if self.rater_noise is None else {"rater_noise": self.rater_noise}
        return {"column": self.column, **noise}


def weights_option(value: object, where: str) -> WeightOptions | None:
    """``false``, the name of a column, or a mapping of options.

    Raises:
        PfsmError: If it is none of these.
    """
    if value is False:
        return None
    if isinstance(value, str) and value:
        return WeightOptions(value)
    if not isinstance(value, Mapping) or not isinstance(value.get("column"), str) or not value["column"]:
        raise PfsmError(
            f"{where}: {WEIGHTS} is {value!r}, it must be false, the name of a column, or "
            "{column: NAME, rater_noise: K}"
        )
    _check_options(value, WEIGHTS, yaml_keys.WEIGHTS, where)
    noise = value.get("rater_noise")
    if noise is not None:
        noise = number(noise, "rater_noise", f"{where}: {WEIGHTS}", 0.0, LARGEST_NOISE)
    return WeightOptions(value["column"], noise)


def _check_options(given: Mapping[str, Any], name: str, known: Sequence[str], where: str) -> None:
    for key in given:
        if key not in known:
            raise PfsmError(f"{where}: {name} has the unknown option {key!r}; known are {', '.join(known)}")


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
    weight: Values = AUTO
    scale: float = 0.25
    margins: Mapping[str, float] = field(default_factory=lambda: dict(MARGINS))

    def decisive(self) -> list[object]:
        """What the course of a training depends on beside the pairs themselves."""
        return [self.weight, self.scale, [self.margins[name] for name in SEVERITIES]]


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
    where = f"{where}: {MINIMAL_PAIRS}"
    if not isinstance(given, Mapping):
        raise PfsmError(f"{where} is {value!r}, it must be false, true or a mapping such as {{weight: 0.3}}")
    for key in given:
        if key not in yaml_keys.MINIMAL_PAIRS:
            known = unknown_key(key, yaml_keys.MINIMAL_PAIRS, "`docs/settings.md`")
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
        one_or_several(given.get("weight", AUTO), "weight", where, LARGEST_WEIGHT),
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
    wrong = [name for name in names if name not in CHANGED]
    if wrong or not names:
        told = f"has {wrong[0]!r}" if wrong else "is empty"
        raise PfsmError(f"{where}: of {told}, it must be one of {', '.join(CHANGED)}, or both in a list")
    return names


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
