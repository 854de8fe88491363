"""Options of a training that are mappings, from plain values of a YAML file."""

import contextlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.embeddings.encoders import DEFAULT_SOURCE, SHIPPED, check_source
from pfsm.errors import PfsmError
from pfsm.runtime.typed import checked, needs

AUTO: Literal["auto"] = "auto"
MINIMAL_PAIRS = "minimal_pairs"

Tuned = Literal["head", "lora", "full"]
Precision = Literal["float32", "bfloat16"]
Changed = Literal["reference", "hypothesis"]
HEAD, LORA, FULL = TUNED = get_args(Tuned)
SINGLE, HALF = get_args(Precision)
REFERENCE, HYPOTHESIS = CHANGED = get_args(Changed)

ALL = "all"
# One number, several to choose from by cross-validation, or the usual ones.
Values = float | Literal["auto"] | tuple[float, ...]
# Of weights and margins in standard deviations of the scores.
_Weight = Annotated[float, Meta(ge=0.0, le=1000.0)]
_Scale = Annotated[float, Meta(gt=0.0, le=1000.0)]
_Share = Annotated[float, Meta(gt=0.0, le=1.0)]
_Positive = Annotated[int, Meta(ge=1)]
_Name = Annotated[str, Meta(min_length=1), needs("a name")]
_Names = Annotated[tuple[_Name, ...], needs("a name or a list of names")]


def numbers_of_text(value: Any) -> Any:
    """A number, or several, some of which YAML 1.1 reads as text: 1e-3, without a decimal point."""
    if isinstance(value, list | tuple):
        return [numbers_of_text(one) for one in value]
    with contextlib.suppress(ValueError):
        return float(value) if isinstance(value, str) else value
    return value


def sorted_once(values: Values) -> Values:
    """Several values in rising order, each once; one, or ``auto``, as it is."""
    return tuple(sorted(set(values))) if isinstance(values, tuple) else values


def to_choose_from(values: Values, usual: tuple[float, ...]) -> tuple[float, ...]:
    """The values that cross-validation chooses from; a single one if a number was given."""
    if values == AUTO:
        return usual
    return values if isinstance(values, tuple) else (float(values),)


class EncoderOptions(Struct, frozen=True, forbid_unknown_fields=True):
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

    tune: Tuned = "head"
    source: str = DEFAULT_SOURCE
    layers: _Positive | None = None
    precision: Precision = "float32"
    minimal_pairs: _Weight = 0.0

    def record(self, source: str) -> dict[str, Any]:
        """For the record of a model file; ``source`` with its checksum."""
        return {
            "tune": self.tune,
            "source": source,
            **({} if self.layers is None else {"layers": self.layers}),
            **({} if self.precision == SINGLE else {"precision": self.precision}),
            **({"minimal_pairs": self.minimal_pairs} if self.minimal_pairs else {}),
        }


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
    place = f"{where}: encoder"
    options = checked(dict(value), EncoderOptions, place, what="option")
    return replace(options, source=check_source(options.source, f"{place}: source"))


class Margins(Struct, frozen=True, forbid_unknown_fields=True):
    """By severity; harmless changes should cost nothing."""

    minor: _Weight = 0.25
    major: _Weight = 0.5
    critical: _Weight = 1.0

    def by_severity(self) -> dict[str, float]:
        """The margins by name, that of harmless changes included."""
        return {SEVERITIES[0]: 0.0, **asdict(self)}


class MinimalPairsOptions(
    Struct, frozen=True, forbid_unknown_fields=True, rename={"files": "file", "without": "except"}
):
    """Where the pairs come from and what they ask for.

    Attributes:
        files: TSV or CSV files as `pfsm data perturb` writes them.
        kinds: Kinds or severities of the pairs that are made from the training data; empty: every kind for the
            language; False: none are made.
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

    kinds: Annotated[_Names | Literal[False], needs("a name, a list of names, or false")] = ()
    without: _Names = ()
    of: Annotated[tuple[Changed, ...], Meta(min_length=1)] = CHANGED
    top: _Share = 0.25
    number: _Positive = 50
    seed: Annotated[int, Meta(ge=0)] = 1
    crossed: bool = False
    files: _Names = ()
    weight: Annotated[
        _Weight | Literal["auto"] | Annotated[tuple[_Weight, ...], Meta(min_length=1)],
        needs("a number from 0 to 1000, a list of them, or auto"),
    ] = AUTO
    scale: _Scale = 0.25
    margins: Annotated[Margins, needs("a mapping such as {critical: 1}")] = Margins()


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
    where = f"{where}: {MINIMAL_PAIRS}"
    if value is not True and not isinstance(value, Mapping):
        raise PfsmError(f"{where} is {value!r}, it must be false, true or a mapping such as {{weight: 0.3}}")
    given = {} if value is True else dict(value)
    listed = {
        key: [given[key]] for key in ("file", "kinds", "except", "of") if isinstance(given.get(key), str)
    }
    given |= listed
    if "weight" in given:
        given["weight"] = numbers_of_text(given["weight"])
    given.setdefault("kinds", False if given.get("file") else [])
    options = checked(given, MinimalPairsOptions, where, what="option")
    kinds = () if options.kinds == (ALL,) else options.kinds
    return replace(
        options,
        kinds=kinds and _once(kinds),
        files=_once(options.files),
        without=_once(options.without),
        of=_once(options.of),
        weight=sorted_once(options.weight),
    )


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
