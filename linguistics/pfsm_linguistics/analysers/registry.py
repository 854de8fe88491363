"""Analysers: the shipped parser, other weights for it, programs and files. A configuration names one in a line."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.files import is_file
from pfsm.io.named_resources import find, is_name, needed, parted, register
from pfsm.registry import Table, origin_label
from pfsm_linguistics.analysis.roles import check_frames
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree, Marginals, cycle_of
from pfsm_linguistics.analysis.wanted import Wanted


class Analyser(Protocol):
    """Makes analyses of lines."""

    @property
    def label(self) -> str:
        """Its name and version, as used by the cache and in signatures."""

    def analyse(self, lines: Sequence[str], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines, in order."""


@runtime_checkable
class TrainedAnalyser(Analyser, Protocol):
    """An analyser with weights of its own, which takes lines that are already split into words or parsed."""

    roles_label: str
    """Name and version of its labeller of semantic roles; empty without one."""

    def analyse_words(self, lines: Sequence[Sequence[str]], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines of words."""

    def labelled(self, trees: Sequence[Analysis], *, given: bool, nominal: bool = False) -> list[Analysis]:
        """Lines that have tags and trees, with the labeller's roles; as they are without a labeller."""


AnalyserKind = Callable[[str], Analyser]
"""From what stands behind the colon of ``NAME:ARGUMENT`` to the analyser."""


def _watched_analyser(name: str, value: Any) -> AnalyserKind:
    """A plug-in as the registry holds it: a class or function whose analysers are watched."""
    if not callable(value):
        raise PfsmError("is neither a class nor a function of the text after the colon of NAME:ARGUMENT")
    return lambda argument: _WatchedAnalyser(name, value(argument))


class _WatchedAnalyser:
    def __init__(self, name: str, analyser: Analyser) -> None:
        if not callable(getattr(analyser, "analyse", None)) or not isinstance(
            getattr(analyser, "label", None), str
        ):
            raise PfsmError(f"analyser {name!r}: an analyser has a label and a method analyse(lines, wanted)")
        if not analyser.label.isprintable() or set(" |") & set(analyser.label):
            raise PfsmError(f"analyser {name!r}: its label {analyser.label!r} has spaces or bars in it")
        self._name = name
        self._analyser = analyser
        self.label = f"{analyser.label}({origin_label('analyser', name)})"

    def analyse(self, lines: Sequence[str], wanted: Wanted) -> list[Analysis]:
        """The analyses of lines.

        Raises:
            PfsmError: If they are not of these lines.
        """
        found = list(self._analyser.analyse(list(lines), wanted))
        try:
            if len(found) != len(lines):
                raise PfsmError(f"gives {len(found)} analyses of {len(lines)} lines")
            for line, analysis in zip(lines, found, strict=True):
                check_analysis(analysis, line)
        except PfsmError as error:
            raise PfsmError(f"analyser {self._name!r}: {error}") from None
        return found


def check_analysis(analysis: Analysis, line: str) -> None:
    """Refuses an analysis that is not of this line.

    Raises:
        PfsmError: If its words are not those of the line, or tags and trees do not fit them.
    """
    if not isinstance(analysis, Analysis):
        raise PfsmError(
            f"gives a {type(analysis).__name__}, a pfsm_linguistics.analysis.sentence.Analysis is needed"
        )
    shown = repr(line) if len(line) <= 60 else f"{line[:57]!r}..."
    if "".join("".join(analysis.tokens).split()) != "".join(line.split()):
        raise PfsmError(f"its words are not those of the line {shown}")
    n_tokens, starts = len(analysis.tokens), analysis.sentences
    ascending = all(one < other for one, other in pairwise((*starts, n_tokens)))
    if tuple(starts[:1]) != ((0,) if n_tokens else ()) or not ascending:
        raise PfsmError(
            f"sentences of {shown} begin at {tuple(starts)}; the first begins at 0, none is empty"
        )
    for what, tags in (("upos", analysis.upos), ("xpos", analysis.xpos)):
        if tags and len(tags) != n_tokens:
            raise PfsmError(f"{what} of {shown} has {len(tags)} tags for {n_tokens} words")
    for tree in (*analysis.trees, *analysis.headed):
        _check_tree(tree, n_tokens, shown)
    if any(not 0 <= frame.predicate < n_tokens for frame in analysis.frames or ()):
        raise PfsmError(f"a predicate of {shown} is none of its {n_tokens} words")
    try:
        check_frames(analysis.frames or (), n_tokens)
    except ValueError as error:
        raise PfsmError(f"roles of {shown}: {error}") from None
    if analysis.marginals is not None:
        _check_marginals(analysis.marginals, n_tokens, shown)


def _check_tree(tree: DependencyTree, n_tokens: int, shown: str) -> None:
    if not len(tree.heads) == len(tree.labels) == n_tokens:
        raise PfsmError(f"a tree of {shown} has {len(tree.heads)} heads for {n_tokens} words")
    for head in tree.heads:
        if not 0 <= head <= n_tokens:
            raise PfsmError(f"a head of {shown} is {head}, it must be from 0 to {n_tokens}")
    if cycle_of(tree.heads) is not None:
        raise PfsmError(f"a tree of {shown} has a cycle")


def _check_marginals(marginals: Marginals, n_tokens: int, shown: str) -> None:
    most = {"dependent": n_tokens - 1, "head": n_tokens, "label": len(marginals.names) - 1}
    columns = {name: getattr(marginals, name) for name in most}
    probability = marginals.probability
    if (
        any(column.shape != probability.shape for column in columns.values())
        or not all(_within(column, most[name]) for name, column in columns.items())
        or not _within(probability, 1.0 + 1e-9)
    ):
        raise PfsmError(f"probabilities of arcs of {shown} are not of its words, or not from 0 to 1")
    if np.bincount(marginals.dependent, probability, n_tokens).max(initial=0.0) > 1.0 + 1e-6:
        raise PfsmError(f"probabilities of the heads of a word of {shown} add up to more than 1")


def _within(values: NDArray[Any], most: float) -> bool:
    return bool(((values >= 0) & (values <= most)).all())


DEFAULT_PARSER = "en-ewt"
SUFFIX = ".parser"


BUILT_IN: dict[str, AnalyserKind | str] = {
    "spacy": "pfsm_linguistics.analysers.programs:SpacyAnalyser",
    "command": "pfsm_linguistics.analysers.programs:CommandAnalyser",
    "file": "pfsm_linguistics.analysers.programs:FileAnalyser",
}


def shipped_parsers() -> dict[str, Path]:
    """The shipped weights files, by name."""
    folder = Path(str(files("pfsm_linguistics.resources") / "parsers"))
    return {path.stem: path for path in sorted(folder.glob(f"*{SUFFIX}"))}


def own_analyser(name: str) -> TrainedAnalyser:
    """The parser of this name, or the parser in the weights file at this path.

    Raises:
        PfsmError: If there is none.
    """
    shipped = shipped_parsers()
    if name in shipped or name.endswith(SUFFIX) or is_file(name):
        from pfsm_linguistics.analysers.own import analyser_of_file  # noqa: PLC0415 - brings numba

        return analyser_of_file(shipped.get(name) or Path(name))
    bare, checksum = parted(name)
    if checksum:
        raise PfsmError(f"parser {name!r}: is not here; {needed(bare)}")
    known = ", ".join([*shipped, *(f"{kind}:…" for kind in ANALYSERS)])
    raise PfsmError(f"parser {name!r}: unknown; known are {known}, or a file NAME{SUFFIX}")


def get_analyser(name: str) -> Analyser:
    """The analyser that a configuration names.

    Args:
        name: A shipped parser, a weights file, ``spacy:PIPELINE``, ``command:PROGRAM ARGUMENTS``,
            ``file:PATH``, ``NAME`` or ``NAME:ARGUMENT`` of a plug-in, or a resource (`pfsm.io.named_resources`).

    Raises:
        PfsmError: If there is none of this name, it cannot be loaded, or has another checksum than the one asked for.
    """
    bare, checksum = parted(name)
    value = find(bare)
    if value is not None and _is_registered(bare):
        raise PfsmError(f"resource {bare}: pfsm has a parser of this name; give it another")
    if value is not None:
        return _of_resource(bare, value, checksum)
    kind, mark, rest = name.partition(":")
    if mark and kind in BUILT_IN and not rest.strip():
        raise PfsmError(f"parser {name!r}: a name is needed after {kind}:")
    if (mark and kind in BUILT_IN) or ANALYSERS.plugin(kind) is not None:
        return ANALYSERS[kind](rest)
    return own_analyser(name)


def _is_registered(name: str) -> bool:
    return name in shipped_parsers() or ANALYSERS.plugin(name.partition(":")[0]) is not None


def _of_resource(name: str, value: str, checksum: str | None) -> Analyser:
    """The analyser that a resource is: weights of ours, a file of parses, a pipeline of spaCy, or what a name says."""
    if not Path(value).exists():
        found = get_analyser(value)
    elif Path(value).is_dir():
        found = ANALYSERS["spacy"](value)
    else:
        found = own_analyser(value) if value.endswith(SUFFIX) else ANALYSERS["file"](value)
    if checksum not in {None, own := _checksum(found)}:
        raise PfsmError(
            f"parser {name}: has checksum {own}, the model needs {checksum} and would score differently; "
            "supply that one"
        )
    return found


def _checksum(analyser: Analyser) -> str:
    """Of what decides its analyses, as far as its label has it: 8 hexadecimal digits."""
    last = analyser.label.rpartition("@")[2]
    return (
        last if re.fullmatch("[0-9a-f]{8}", last) else hashlib.sha256(analyser.label.encode()).hexdigest()[:8]
    )


def pinned(name: str) -> str:
    """The name as a model keeps it: of what neither ships nor is a plug-in, a resource with its checksum.

    Raises:
        PfsmError: As `get_analyser`.
    """
    bare, _ = parted(name)
    if _is_registered(bare):
        return name
    found = get_analyser(name)
    return f"{bare if is_name(bare) and find(bare) else register(name)}@{_checksum(found)}"


def _tried(name: str, lines: Sequence[str]) -> list[tuple[object, ...]]:
    """What an analyser gives for lines, for comparisons; probabilities in single precision."""
    found: list[tuple[object, ...]] = []
    for one in get_analyser(name).analyse(lines, Wanted(marginals=True, constituents=True)):
        trees = tuple(replace(tree, log_probability=0.0) for tree in one.trees)
        numbers = np.array([tree.log_probability for tree in one.trees], dtype=np.float32)
        arcs = (
            np.zeros(0) if one.marginals is None else one.marginals.arcs(len(one.tokens)).astype(np.float32)
        )
        found.append((repr(replace(one, trees=trees, marginals=None)), numbers, arcs))
    return found


ANALYSERS: Table[AnalyserKind] = Table(
    "analyser", BUILT_IN, _watched_analyser, lambda name: name in shipped_parsers(), pinned, _tried
)
"""What stands before the colon, and what makes an analyser of what stands behind it."""
