"""The ``settings`` of a model file, validated: everything that a model assumes about text and machine."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from pfsm.errors import PfsmError
from pfsm.features.values import check_feature
from pfsm.lattice.names import DELETE, INSERT, inserted_repeat
from pfsm.matchers.registry import MATCHERS
from pfsm.metrics.ngram_table import remember_documents
from pfsm.metrics.registry import expanded
from pfsm.runtime.names import known_names
from pfsm.runtime.typed import MOST_QUOTED, MisfitError, checked, needs, typed
from pfsm.text.characters import AS_IT_IS, CLEAN
from pfsm.text.classes import check_lists, default_lists
from pfsm.text.languages import (
    check_stemmer,
    check_tokeniser,
    default_stemmer,
    default_tokeniser,
    language_code,
)

DEFAULT_MATCHERS = ("punct", "word", "lemma")
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
    normalisation: str = "none"
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


# YAML reads an unquoted `no` (the code of Norwegian) as false, so the message asks for quotes.
_Name = Annotated[str, Meta(min_length=1), needs("a name in quotes")]
_Names = Annotated[tuple[_Name, ...], needs("a list of names")]
_BlockSize = Annotated[int, Meta(ge=1, le=LARGEST_BLOCK)]


class _Given(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings as they stand in a file; ``UNSET``: the default depends on others."""

    language: _Name = "en"
    tokeniser: _Name | UnsetType = UNSET
    stemmer: _Name | UnsetType = UNSET
    lowercase: bool = True
    matchers: _Names = DEFAULT_MATCHERS
    matching: Literal["exclusive", "overlapping"] = "exclusive"
    max_block: Any = {}
    max_jump: Annotated[int, Meta(ge=0, le=LARGEST_JUMP)] = 0
    options: Annotated[dict[str, Any], needs("names of matchers and their options")] = {}
    split: Annotated[tuple[str, ...], needs("a list of states such as [Insert, Delete]")] = ()
    classes: Any = UNSET
    features: Annotated[_Names | dict[str, Any], needs("a list of names")] = ()
    counts: Annotated[dict[str, Any], needs("names of tables of n-grams")] = {}
    edits: bool = True
    references: UseOfReferences = BEST
    normalisation: Literal["none", "nfc", "nfkc", "typewriter"] | UnsetType = UNSET
    text: Literal[1, 2] = 1
    form: Literal["absolute", "relative"] = "absolute"


class _Standardised(Struct, frozen=True, forbid_unknown_fields=True):
    """How a feature is standardised."""

    mean: Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
    sd: Annotated[float, Meta(ge=SMALLEST, le=LARGEST)]


def settings_from_dict(values: Mapping[str, Any], where: str) -> Settings:
    """Settings from a YAML or JSON mapping; absent settings get the defaults of the language.

    Args:
        values: Any subset of the fields of ``Settings``. ``max_block`` may be one number for all matchers.
        where: What to call the mapping in errors, such as ``train.yaml`` or ``model.json: settings``.

    Raises:
        PfsmError: If a key is unknown or a value is not allowed.
    """
    given = checked(dict(values), _Given, where, what="setting", page=_PAGE)
    # They are known to this process from here on, so that names can refer to them.
    if given.counts:
        remember_documents(given.counts, f"{where}: counts")
    for key in values:
        if not given.edits and key not in WITHOUT_EDITS:
            raise PfsmError(f"{where}: {key} needs edits, but edits is false; leave out one of them")
    _named(where, language_code, given.language)
    language = language_code(given.language)
    of_edits = _of_edits(given, language, where) if given.edits else {}
    features = _features(given.features, where)
    if not (given.edits or features):
        raise PfsmError(f"{where}: edits: false needs features, because there is nothing else to score with")
    normalisation = given.normalisation
    return Settings(
        language,
        **of_edits,
        features=features,
        counts=given.counts,
        edits=given.edits,
        references=given.references,
        normalisation=_USUAL_NORMALISATION[given.text] if normalisation is UNSET else str(normalisation),
        text=given.text,
        form=given.form,
    )


def _of_edits(given: _Given, language: str, where: str) -> dict[str, Any]:
    """The settings that only models with edits have."""
    tokeniser = default_tokeniser(language) if given.tokeniser is UNSET else str(given.tokeniser)
    stemmer = default_stemmer(language) if given.stemmer is UNSET else str(given.stemmer)
    _named(where, check_tokeniser, tokeniser)
    _named(where, check_stemmer, stemmer)
    for name in given.matchers:
        if name not in MATCHERS:
            raise PfsmError(f"{where}: unknown matcher {name!r}; {known_names(name, tuple(MATCHERS), _PAGE)}")
    _check_once("matchers", given.matchers, where)
    split = _split(given, where)
    return {
        "tokeniser": tokeniser,
        "stemmer": stemmer,
        "lowercase": given.lowercase,
        "matchers": given.matchers,
        "matching": given.matching,
        "max_block": _max_block(given.max_block, given.matchers, where),
        "max_jump": given.max_jump,
        "options": _options(given, where),
        "split": split,
        "classes": _classes(given.classes, split, language, where),
    }


def _check_once(key: str, names: Sequence[str], where: str) -> None:
    if len(set(names)) < len(names):
        raise PfsmError(f"{where}: {key} names one of them twice")


def _features(value: tuple[str, ...] | dict[str, Any], where: str) -> dict[str, tuple[float, float] | None]:
    """A list of names (``bleu.*`` for all parts of ``bleu``), or names with ``auto`` or ``{mean: …, sd: …}``."""
    if isinstance(value, tuple):
        names = [one for name in value for one in expanded(name)]
        _check_once("features", names, where)
        value = dict.fromkeys(names, AUTO)
    for name in value:
        _named(where, check_feature, name)
    return {name: _feature_scale(scale, f"{where}: features of {name}") for name, scale in value.items()}


def _feature_scale(value: object, where: str) -> tuple[float, float] | None:
    if value == AUTO:
        return None
    try:
        scale = typed(value, _Standardised)
    except MisfitError:
        raise PfsmError(
            f"{where} is {repr(value)[:MOST_QUOTED]}, it must be auto, or a mean and an sd above 0, of at most "
            f"{LARGEST:g}; an sd is at least {SMALLEST:g}"
        ) from None
    return scale.mean, scale.sd


def _split(given: _Given, where: str) -> tuple[str, ...]:
    """The states to split, in the order of the machine's states."""
    known = (INSERT, DELETE, *(MATCHERS[name].state for name in given.matchers if MATCHERS[name].state))
    whole = (*known, inserted_repeat())
    for name in given.split:
        if name not in whole:
            raise PfsmError(f"{where}: split names {name!r}; states that can be split are {', '.join(known)}")
    if len(set(given.split)) < len(given.split):
        raise PfsmError(f"{where}: split names one of the states twice")
    return tuple(name for name in whole if name in given.split)


def _classes(value: Any, split: tuple[str, ...], language: str, where: str) -> str | dict[str, list[str]]:
    """The word lists of the classes, by default the shipped lists of the language."""
    if set(split) - {inserted_repeat()}:
        return check_lists(default_lists(language) if value is UNSET else value, where)
    if value is not UNSET:
        raise PfsmError(f"{where}: classes is given, but split names no state to split by word class")
    return ""


def _options(given: _Given, where: str) -> dict[str, dict[str, Any]]:
    """Options by matcher, with their defaults; a matcher without options is absent."""
    for name in given.options:
        if name not in given.matchers:
            raise PfsmError(f"{where}: options names {name!r}, which is not among the matchers")
    result = {}
    for name in given.matchers:
        place = f"{where}: options of {name}"
        own = given.options.get(name, {})
        if not isinstance(own, Mapping) or not all(isinstance(key, str) for key in own):
            raise PfsmError(f"{place} must be lines `key: value`")
        found = MATCHERS[name].check(own, place)
        if found:
            result[name] = found
    return result


def _named(where: str, check: Callable[[str], object], name: str) -> None:
    try:
        check(name)
    except PfsmError as error:
        raise PfsmError(f"{where}: {error}") from None


def _max_block(value: Any, matchers: tuple[str, ...], where: str) -> dict[str, int]:
    given: dict[str, Any] = dict(value) if isinstance(value, Mapping) else dict.fromkeys(matchers, value)
    for name, size in given.items():
        if name not in matchers:
            raise PfsmError(f"{where}: max_block names {name!r}, which is not among the matchers")
        checked(size, _BlockSize, f"{where}: max_block")
        if size < SMALLEST_BLOCKS.get(name, 1):
            raise PfsmError(
                f"{where}: max_block of {name} is {size}, it must be at least {SMALLEST_BLOCKS[name]}: "
                f"max_block: {{{name}: {SMALLEST_BLOCKS[name]}}}"
            )
    return {name: given.get(name, SMALLEST_BLOCKS.get(name, 1)) for name in matchers}
