"""The references of a whole input, for metrics that count over all of them before any part is scored."""

from collections.abc import Iterator, Sequence

from pfsm.distributed.addresses import input_files
from pfsm.distributed.outcomes import Fault, attempt
from pfsm.distributed.pieces import Piece, SurveyTask, survey
from pfsm.distributed.pools import Pool
from pfsm.distributed.rows import read_piece


def distinct_references(source: str, partition_bytes: int, pool: Pool) -> Sequence[str]:
    """Every reference of an input once, in sorted order; they must fit into memory.

    Files and partitions with faults are left out: scoring names them.

    Args:
        source: As of `pfsm.distributed.job.Job`.
        partition_bytes: Likewise.
        pool: Where they are read.

    Raises:
        PfsmError: There is no input, or the cluster is gone.
    """
    tasks = [SurveyTask(file, partition_bytes) for file in input_files(source)]
    surveyed = [one.found for one in pool.run(survey, tasks)]
    pieces = [piece for found in surveyed if not isinstance(found, Fault) for piece in found]
    return sorted(set().union(*pool.run(piece_references, pieces)))


def references_in_order(source: str, partition_bytes: int, pool: Pool) -> Iterator[str]:
    """Every reference of an input in order, read partition by partition as they are asked for.

    Arguments, errors and faults as of `distinct_references`.
    """
    for file in input_files(source):
        for one in pool.run(survey, [SurveyTask(file, partition_bytes)]):
            pieces = [] if isinstance(one.found, Fault) else one.found
            for piece in pieces:
                for lines in pool.run(piece_lines, [piece]):
                    yield from lines


def piece_lines(piece: Piece) -> tuple[str, ...]:
    """The references of a partition in order; none of one with faults."""

    def read() -> tuple[str, ...]:
        return tuple(line for several in read_piece(piece).pairs.references for line in several)

    found, _ = attempt(read, piece.file.label)
    return () if isinstance(found, Fault) else found


def piece_references(piece: Piece) -> frozenset[str]:
    """The references of a partition; none of one with faults."""

    def read() -> frozenset[str]:
        return frozenset(line for several in read_piece(piece).pairs.references for line in several)

    found, _ = attempt(read, piece.file.label)
    return frozenset() if isinstance(found, Fault) else found
