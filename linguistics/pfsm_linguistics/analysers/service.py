"""Analyses of many lines, from the cache or else from the analyser, in one process or several."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial

from pfsm.errors import PfsmError
from pfsm.io.named_resources import find, parted
from pfsm.registry import Entry
from pfsm.runtime.workers import Workers
from pfsm_linguistics.analysers.registry import ANALYSERS, DEFAULT_PARSER, Analyser, get_analyser
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted

# Lines given to the analyser at once; it is the same for every number of processes, so that the result is too.
PORTION = 256
# Analyses from files are not cached, since they are read from disk anyway.
_UNCACHED = ("file:",)

ONE_TREE = Wanted()
Progress = Callable[[int, int], None]


def analyse_lines(
    lines: Sequence[str],
    parser: str = DEFAULT_PARSER,
    wanted: Wanted = ONE_TREE,
    *,
    processes: int = 1,
    cache: bool = True,
    progress: Progress | None = None,
) -> list[Analysis]:
    """The analyses of lines, in order; a line that occurs twice is analysed once.

    Args:
        lines: Plain text.
        parser: The parser, as in `get_analyser`.
        wanted: What to compute.
        processes: Number of processes to use, at least 1.
        cache: Whether to look in the cache and add to it.
        progress: Called with the number of lines done and the number of all lines to analyse.

    Raises:
        PfsmError: If the parser cannot be loaded or cannot analyse these lines.
    """
    from pfsm_linguistics.analysers.cache import AnalysisCache  # noqa: PLC0415 - few runs need it

    analyser = _loaded(parser)
    shelf = (
        AnalysisCache(_asked_label(analyser, wanted), repr(wanted))
        if cache and not analyser.label.startswith(_UNCACHED)
        else None
    )
    distinct = list(dict.fromkeys(lines))
    known = shelf.find(distinct) if shelf else {}
    missing = [line for line in distinct if line not in known]
    portions = [missing[first : first + PORTION] for first in range(0, len(missing), PORTION)]
    done = 0
    for portion, found in _analysed(analyser, parser, portions, wanted, processes):
        fresh = dict(zip(portion, found, strict=True))
        if shelf:
            # What is missing today is not missing for good, and without gaps it is an error.
            kept = {line: one for line, one in fresh.items() if not (wanted.gaps and one.is_failed)}
            shelf.add(kept)
        known |= fresh
        done += len(portion)
        if progress:
            progress(done, len(missing))
    return [known[line] for line in lines]


def _loaded(parser: str) -> Analyser:
    return _kept(parser, ANALYSERS.plugin(parser.partition(":")[0]), find(parted(parser)[0]))


@lru_cache(maxsize=4)
def _kept(parser: str, plugin: Entry | None, resource: str | None) -> Analyser:  # noqa: ARG001 - given anew, it is another
    return get_analyser(parser)


def _analysed(
    analyser: Analyser, parser: str, portions: Sequence[list[str]], wanted: Wanted, processes: int
) -> Iterator[tuple[list[str], list[Analysis]]]:
    if processes <= 1 or len(portions) <= 1:
        for portion in portions:
            yield portion, analyser.analyse(portion, wanted)
        return
    with Workers(min(processes, len(portions))) as workers:
        try:
            found = workers.results(partial(_in_worker, parser, wanted), portions)
            yield from zip(portions, found, strict=True)
        except (BrokenProcessPool, OSError):
            raise PfsmError(
                "a parsing process was killed or could not be started, perhaps for lack of memory; use fewer processes"
            ) from None


def _in_worker(parser: str, wanted: Wanted, portion: list[str]) -> list[Analysis]:
    return _loaded(parser).analyse(portion, wanted)


def analyser_label(parser: str, wanted: Wanted = ONE_TREE) -> str:
    """Name and version of a parser, which is loaded if necessary; with roles, of its labeller too.

    Raises:
        PfsmError: If it cannot be loaded.
    """
    return _asked_label(_loaded(parser), wanted)


def _asked_label(analyser: Analyser, wanted: Wanted) -> str:
    roles = getattr(analyser, "roles_label", "") if wanted.roles else ""
    return f"{analyser.label}+roles:{roles}" if roles else analyser.label
