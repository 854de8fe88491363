"""The ``settings`` of a model file, validated: everything that a model assumes about text and machine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from pfsm.errors import PfsmError
from pfsm.features.values import check_feature
from pfsm.io.limits import MOST_QUOTED
from pfsm.lattice.names import DELETE, INSERT, inserted_repeat
from pfsm.matchers.registry import MATCHERS, matcher_state
from pfsm.metrics.ngram_table import remember_documents
from pfsm.metrics.registry import expanded
from pfsm.runtime.names import known_names, unknown_key
from pfsm.text.characters import AS_IT_IS, CLEAN, EDITIONS
from pfsm.text.classes import check_lists, default_lists
from pfsm.text.languages import (
    check_stemmer,
    check_tokeniser,
    default_stemmer,
    default_tokeniser,
    language_code,
)

DEFAULT_MATCHERS = ("punct", "word", "lemma")
MATCHING = ("exclusive", "overlapping")
LARGEST_BLOCK = 9
# Matchers that need more than one token on a side.
SMALLEST_BLOCKS = {"swap": 2}
_PAGE = "`docs/settings.md`"
# What several references mean.
BEST: Literal["best"] = "best"
MEAN: Literal["mean"] = "mean"
UseOfReferences = Literal["best", "mean"]
AUTO = "auto"
# What a score is: the paper's regression, or the difference to the reference's own perfect match.
# Numbers of a model stay where scores are finite; jumps where their buffers fit.
SMALLEST, LARGEST, LARGEST_JUMP = 1e-100, 1e100, 1000
ABSOLUTE, RELATIVE = "absolute", "relative"
FORMS = (ABSOLUTE, RELATIVE)
# Of Unicode; by default the first in text edition 1, the second in edition 2.
NORMALISATIONS = ("none", "nfc", "nfkc", "typewriter")
_USUAL_NORMALISATION = {AS_IT_IS: "none", CLEAN: "nfc"}


@dataclass(frozen=True)
class Settings:
    """Everything except weights that determines the lattice of a sentence pair.

    Attributes:
        language: Language code of the hypotheses, such as ``en``; determines the defaults of the next two.
        tokeniser: Name of a tokeniser (``penn``, ``plain``).
        stemmer: Name of a stemmer (``porter``, a Snowball language, ``none``).
        lowercase: Whether words are compared in lower case.
        matchers: Names of the matchers in the order in which they are tried.
        matching: ``exclusive`` (a block is offered by the first matcher that accepts it) or ``overlapping``.
        max_block: Per matcher, the largest number of tokens of a block on either side.
        max_jump: Jump limit D of the machine; 0 is the finite-state machine.
        options: All options of each matcher that has any.
        split: States that are split by word class, in the order of the machine's states; ``Insert:repeat`` among them:
            words that the hypothesis says twice in a row have an Insert of their own.
        classes: The word lists of the classes, if states are split: name of the shipped lists, or lists by class.
        features: Sentence-level features, each with the mean and standard deviation for its standardisation; None:
            those of the training data.
        counts: Counts of n-grams over the references of the training data, by the label that the names of features
            refer to them with, as JSON values (`pfsm.metrics.ngram_table`).
        edits: Whether the model has edits. Without edits it is linear in its features, and of the settings above only
            ``language``, ``features``, ``counts`` and ``references`` are used.
        references: What several references mean, in scoring and in training: the score against the ``best`` one, or the
            ``mean`` of the scores against each.
        normalisation: Unicode normalisation of all text before anything else is done with it: ``none``, ``nfc``,
            ``nfkc`` or ``typewriter`` (`pfsm.text.characters`).
        text: Edition of what is done with text before: 1, nothing; 2, every line is read by one table of characters
            (`pfsm.text.characters`), and the tokeniser ``penn`` goes sentence by sentence (`pfsm.text.sentences`).
        form: What a pair is given: ``absolute``, the value of equations (2) and (3) of Wang and Manning (2012), or
            ``relative``, its difference to the value of the reference against itself, so that a translation identical
            to its reference scores 100 at any length, and none more; long lines are scored by their sentences
            (`pfsm.model.long_lines`).
    """

    language: str = "en"
    tokeniser: str = "penn"
    stemmer: str = "porter"
    lowercase: bool = True
    matchers: tuple[str, ...] = DEFAULT_MATCHERS
    matching: str = "exclusive"
    max_block: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(DEFAULT_MATCHERS, 1))
    max_jump: int = 0
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    split: tuple[str, ...] = ()
    classes: str | Mapping[str, Sequence[str]] = ""
    features: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    counts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    edits: bool = True
    references: UseOfReferences = BEST
    normalisation: str = NORMALISATIONS[0]
    text: int = AS_IT_IS
    form: str = ABSOLUTE

    def __post_init__(self) -> None:
        if not self.edits:
            object.__setattr__(self, "matchers", ())
            object.__setattr__(self, "max_block", {})
        if self.split_by_class and self.classes == "":
            object.__setattr__(self, "classes", default_lists(self.language))

    @property
    def split_by_class(self) -> tuple[str, ...]:
        """The states that are split by word class."""
        return tuple(state for state in self.split if state != inserted_repeat())

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain JSON values, in the order of the fields; newer settings only if they are used."""
        values = asdict(self)
        values["matchers"] = list(self.matchers)
        values["max_block"] = {name: self.max_block[name] for name in self.matchers}
        values["split"] = list(self.split)
        values["features"] = {
            name: AUTO if scale is None else {"mean": scale[0], "sd": scale[1]}
            for name, scale in self.features.items()
        }
        unused = {
            "options": not values["options"],
            "split": not self.split,
            "classes": not self.split_by_class,
            "features": not self.features,
            "counts": not self.counts,
            "references": self.references == BEST,
            "normalisation": self.normalisation == _USUAL_NORMALISATION[self.text],
            "text": self.text == AS_IT_IS,
            "form": self.form == ABSOLUTE,
        }
        values = {key: value for key, value in values.items() if not unused.get(key, False)}
        if not self.edits:
            return {key: values[key] for key in WITHOUT_EDITS if key in values}
        del values["edits"]
        return values


KEYS = tuple(entry.name for entry in fields(Settings))
# The settings of models without edits.
WITHOUT_EDITS = ("language", "edits", "features", "counts", "references", "normalisation", "text", "form")


def settings_from_dict(values: Mapping[str, Any], where: str) -> Settings:
    """Settings from a YAML or JSON mapping; absent settings get the defaults of the language.

    Args:
        values: Any subset of the fields of ``Settings``. ``max_block`` may be one number for all matchers.
        where: What to call the mapping in errors, such as ``train.yaml`` or ``model.json: settings``.

    Raises:
        PfsmError: If a key is unknown or a value is not allowed.
    """
    for key in values:
        if key not in KEYS:
            raise PfsmError(f"{where}: unknown setting {key!r}; {unknown_key(key, KEYS, _PAGE)}")
    counts = values.get("counts", {})
    if not isinstance(counts, Mapping):
        raise PfsmError(f"{where}: counts is {counts!r}, it must name tables of n-grams")
    # They are known to this process from here on, so that names can refer to them.
    remember_documents(counts, f"{where}: counts")
    edits = _plain(values, "edits", True, where)
    for key in values:
        if not edits and key not in WITHOUT_EDITS:
            raise PfsmError(f"{where}: {key} needs edits, but edits is false; leave out one of them")
    language = _text(values.get("language", "en"), "language", where)
    _named(where, language_code, language)
    language = language_code(language)
    of_edits = _of_edits(values, language, where) if edits else {}
    features = _features(values.get("features", ()), where)
    if not (edits or features):
        raise PfsmError(f"{where}: edits: false needs features, because there is nothing else to score with")
    references = _plain(values, "references", BEST, where)
    edition = _plain(values, "text", AS_IT_IS, where)
    return Settings(
        language,
        **of_edits,
        features=features,
        counts=dict(counts),
        edits=edits,
        references=references,
        normalisation=_plain(values, "normalisation", _USUAL_NORMALISATION[edition], where),
        text=edition,
        form=_plain(values, "form", ABSOLUTE, where),
    )


def _of_edits(values: Mapping[str, Any], language: str, where: str) -> dict[str, Any]:
    """The settings that only models with edits have."""
    tokeniser = _text(values.get("tokeniser", default_tokeniser(language)), "tokeniser", where)
    stemmer = _text(values.get("stemmer", default_stemmer(language)), "stemmer", where)
    _named(where, check_tokeniser, tokeniser)
    _named(where, check_stemmer, stemmer)
    matchers = _matchers(values.get("matchers", DEFAULT_MATCHERS), where)
    _text(values.get("matching", MATCHING[0]), "matching", where)
    found = {
        "tokeniser": tokeniser,
        "stemmer": stemmer,
        "matchers": matchers,
        "matching": _plain(values, "matching", MATCHING[0], where),
        "lowercase": _plain(values, "lowercase", True, where),
        "max_jump": _plain(values, "max_jump", 0, where),
        "max_block": _max_block(values.get("max_block", {}), matchers, where),
        "options": _options(values.get("options", {}), matchers, where),
    }
    split = _split(values.get("split", ()), matchers, where)
    return found | {"split": split, "classes": _classes(values, split, language, where)}


_PLAIN: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "edits": (lambda value: isinstance(value, bool), "true or false"),
    "lowercase": (lambda value: isinstance(value, bool), "true or false"),
    "matching": (MATCHING.__contains__, f"one of {', '.join(MATCHING)}"),
    "max_jump": (
        lambda value: type(value) is int and 0 <= value <= LARGEST_JUMP,
        f"a whole number from 0 to {LARGEST_JUMP}",
    ),
    "references": ((BEST, MEAN).__contains__, f"{BEST} or {MEAN}"),
    "normalisation": (NORMALISATIONS.__contains__, f"one of {', '.join(NORMALISATIONS)}"),
    "text": (
        lambda value: type(value) is int and value in EDITIONS,
        f"one of {', '.join(map(str, EDITIONS))}",
    ),
    "form": (FORMS.__contains__, f"one of {', '.join(FORMS)}"),
}
"""Settings that depend on no others: whether a value is one, and what it must be."""


def _plain(values: Mapping[str, Any], key: str, default: Any, where: str) -> Any:
    value = values.get(key, default)
    holds, what = _PLAIN[key]
    if not holds(value):
        told = repr(value)[: MOST_QUOTED if key == "max_jump" else None]
        raise PfsmError(f"{where}: {key} is {told}, it must be {what}")
    return value


def _features(value: object, where: str) -> dict[str, tuple[float, float] | None]:
    """A list of names (``bleu.*`` for all parts of ``bleu``), or names with ``auto`` or ``{mean: …, sd: …}``."""
    if isinstance(value, list | tuple):
        names = [one for name in value for one in expanded(_text(name, "a name in features", where))]
        if len(set(names)) < len(names):
            raise PfsmError(f"{where}: features names one of them twice")
        value = dict.fromkeys(names, AUTO)
    if not isinstance(value, Mapping):
        raise PfsmError(f"{where}: features is {value!r}, it must be a list of names")
    result = {}
    for name in value:
        _named(where, check_feature, _text(name, "a name in features", where))
        result[name] = _feature_scale(value[name], f"{where}: features of {name}")
    return result


def _feature_scale(value: object, where: str) -> tuple[float, float] | None:
    if value == AUTO:
        return None
    if isinstance(value, Mapping) and set(value) == {"mean", "sd"}:
        numbers = [value["mean"], value["sd"]]
        # A comparison with NaN is false, and one with a whole number of hundreds of digits is exact.
        if (
            all(type(number) in {int, float} and abs(number) <= LARGEST for number in numbers)
            and numbers[1] >= SMALLEST
        ):
            return float(numbers[0]), float(numbers[1])
    raise PfsmError(
        f"{where} is {repr(value)[:MOST_QUOTED]}, it must be auto, or a mean and an sd above 0, of at most "
        f"{LARGEST:g}; an sd is at least {SMALLEST:g}"
    )


def _split(value: object, matchers: tuple[str, ...], where: str) -> tuple[str, ...]:
    """The states to split, in the order of the machine's states."""
    known = (INSERT, DELETE, *filter(None, map(matcher_state, matchers)))
    whole = (*known, inserted_repeat())
    if not isinstance(value, list | tuple):
        raise PfsmError(f"{where}: split is {value!r}, it must be a list of states such as [Insert, Delete]")
    for name in value:
        if name not in whole:
            raise PfsmError(f"{where}: split names {name!r}; states that can be split are {', '.join(known)}")
    if len(set(value)) < len(value):
        raise PfsmError(f"{where}: split names one of the states twice")
    return tuple(name for name in whole if name in value)


def _classes(
    values: Mapping[str, Any], split: tuple[str, ...], language: str, where: str
) -> str | dict[str, list[str]]:
    """The word lists of the classes, by default the shipped lists of the language."""
    if set(split) - {inserted_repeat()}:
        return check_lists(values.get("classes", default_lists(language)), where)
    if "classes" in values:
        raise PfsmError(f"{where}: classes is given, but split names no state to split by word class")
    return ""


def _options(value: object, matchers: tuple[str, ...], where: str) -> dict[str, dict[str, Any]]:
    """Options by matcher, with their defaults; a matcher without options is absent."""
    if not isinstance(value, Mapping):
        raise PfsmError(f"{where}: options is {value!r}, it must name matchers and their options")
    for name in value:
        if name not in matchers:
            raise PfsmError(f"{where}: options names {name!r}, which is not among the matchers")
    result = {}
    for name in matchers:
        given = value.get(name, {})
        if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
            raise PfsmError(f"{where}: options of {name} must be lines `key: value`")
        checked = MATCHERS[name].check(given, f"{where}: options of {name}")
        if checked:
            result[name] = checked
    return result


def _named(where: str, check: Callable[[str], object], name: str) -> None:
    try:
        check(name)
    except PfsmError as error:
        raise PfsmError(f"{where}: {error}") from None


def _text(value: object, key: str, where: str) -> str:
    # YAML reads an unquoted `no` (the code of Norwegian) as false, so the message asks for quotes.
    if not isinstance(value, str) or not value:
        raise PfsmError(f"{where}: {key} is {value!r}, it must be a name in quotes")
    return value


def _matchers(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise PfsmError(f"{where}: matchers is {value!r}, it must be a list of names")
    names = tuple(_text(name, "a name in matchers", where) for name in value)
    for name in names:
        if name not in MATCHERS:
            raise PfsmError(f"{where}: unknown matcher {name!r}; {known_names(name, tuple(MATCHERS), _PAGE)}")
    if len(set(names)) < len(names):
        raise PfsmError(f"{where}: matchers names one of them twice")
    return names


def _max_block(value: Any, matchers: tuple[str, ...], where: str) -> dict[str, int]:
    given: dict[str, Any] = dict(value) if isinstance(value, Mapping) else dict.fromkeys(matchers, value)
    for name, size in given.items():
        if name not in matchers:
            raise PfsmError(f"{where}: max_block names {name!r}, which is not among the matchers")
        if type(size) is not int or not 1 <= size <= LARGEST_BLOCK:
            raise PfsmError(
                f"{where}: max_block is {size!r}, it must be a whole number from 1 to {LARGEST_BLOCK}"
            )
        if size < SMALLEST_BLOCKS.get(name, 1):
            raise PfsmError(
                f"{where}: max_block of {name} is {size}, it must be at least {SMALLEST_BLOCKS[name]}: "
                f"max_block: {{{name}: {SMALLEST_BLOCKS[name]}}}"
            )
    return {name: given.get(name, SMALLEST_BLOCKS.get(name, 1)) for name in matchers}
