"""What an analyser is, what one of another package must have, and a watch over what it says."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.roles import Frame, check_frames
from pfsm.analysis.sentence import Analysis, DependencyTree, Marginals, cycle_of
from pfsm.analysis.wanted import Wanted
from pfsm.errors import PfsmError
from pfsm.registry import origin_label


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


def watched_analyser(name: str, value: Any) -> AnalyserKind:
    """A plug-in as the registry holds it: a class or function whose analysers are watched.

    Raises:
        PfsmError: If it cannot be called.
    """
    if not callable(value):
        raise PfsmError("is neither a class nor a function of the text after the colon of NAME:ARGUMENT")
    return lambda argument: _WatchedAnalyser(name, value(argument))


class _WatchedAnalyser:
    def __init__(self, name: str, analyser: Analyser) -> None:
        if not callable(getattr(analyser, "analyse", None)) or not isinstance(
            getattr(analyser, "label", None), str
        ):
            raise PfsmError(f"analyser {name!r}: an analyser has a label and a method analyse(lines, wanted)")
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
        raise PfsmError(f"gives a {type(analysis).__name__}, a pfsm.analysis.sentence.Analysis is needed")
    shown = repr(line) if len(line) <= 60 else f"{line[:57]!r}..."
    if "".join("".join(analysis.tokens).split()) != "".join(line.split()):
        raise PfsmError(f"its words are not those of the line {shown}")
    n_tokens = len(analysis.tokens)
    _check_sentences(analysis.sentences, n_tokens, shown)
    for what, tags in (("upos", analysis.upos), ("xpos", analysis.xpos)):
        if tags and len(tags) != n_tokens:
            raise PfsmError(f"{what} of {shown} has {len(tags)} tags for {n_tokens} words")
    for tree in (*analysis.trees, *analysis.headed):
        _check_tree(tree, n_tokens, shown)
    if analysis.frames is not None:
        _check_frames(analysis.frames, n_tokens, shown)
    if analysis.marginals is not None:
        _check_marginals(analysis.marginals, n_tokens, shown)


def _check_sentences(starts: Sequence[int], n_tokens: int, shown: str) -> None:
    ascending = all(one < other for one, other in pairwise((*starts, n_tokens)))
    if tuple(starts[:1]) != ((0,) if n_tokens else ()) or not ascending:
        raise PfsmError(
            f"sentences of {shown} begin at {tuple(starts)}; the first begins at 0, none is empty"
        )


def _check_tree(tree: DependencyTree, n_tokens: int, shown: str) -> None:
    if not len(tree.heads) == len(tree.labels) == n_tokens:
        raise PfsmError(f"a tree of {shown} has {len(tree.heads)} heads for {n_tokens} words")
    for head in tree.heads:
        if not 0 <= head <= n_tokens:
            raise PfsmError(f"a head of {shown} is {head}, it must be from 0 to {n_tokens}")
    if cycle_of(tree.heads) is not None:
        raise PfsmError(f"a tree of {shown} has a cycle")


def _check_frames(frames: Sequence[Frame], n_tokens: int, shown: str) -> None:
    if any(not 0 <= frame.predicate < n_tokens for frame in frames):
        raise PfsmError(f"a predicate of {shown} is none of its {n_tokens} words")
    try:
        check_frames(frames, n_tokens)
    except ValueError as error:
        raise PfsmError(f"roles of {shown}: {error}") from None


def _check_marginals(marginals: Marginals, n_tokens: int, shown: str) -> None:
    dependent, head, label, probability = (
        marginals.dependent,
        marginals.head,
        marginals.label,
        marginals.probability,
    )
    if (
        not dependent.shape == head.shape == label.shape == probability.shape
        or not _within(dependent, n_tokens - 1)
        or not _within(head, n_tokens)
        or not _within(label, len(marginals.names) - 1)
        or not _within(probability, 1.0 + 1e-9)
    ):
        raise PfsmError(f"probabilities of arcs of {shown} are not of its words, or not from 0 to 1")
    if np.bincount(dependent, probability, n_tokens).max(initial=0.0) > 1.0 + 1e-6:
        raise PfsmError(f"probabilities of the heads of a word of {shown} add up to more than 1")


def _within(values: NDArray[Any], most: float) -> bool:
    return bool(((values >= 0) & (values <= most)).all())
