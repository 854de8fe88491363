"""Groups of rows that belong together: for splits and folds that never have a group on both sides."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from pfsm.data.judgments import (
    DOCUMENT_COLUMNS,
    SEGMENT_ID,
    Judgments,
    Places,
    Preferences,
    segment_places,
    warn_of_repeated_ids,
)
from pfsm.data.table import Table, shown
from pfsm.errors import PfsmError

SEGMENT = "segment"
# What a user may ask for, and the columns that say it; of a language pair, all that are there.
COLUMNS = {
    "document": tuple((name,) for name in DOCUMENT_COLUMNS),
    "system": (("system",),),
    "language": (("source_lang", "target_lang"), ("source_lang",), ("target_lang",), ("lp",)),
}
BY_HELP = "document, segment, system, language, or a column"
# Fields of a language pair, a test set and so on, as one name.
BETWEEN = "-"


def group_names(data: Judgments | Preferences | Table, by: str) -> Sequence[str]:
    """The group of every row, [n].

    Args:
        data: Rows.
        by: ``document``, ``segment``, ``system``, ``language`` or the name of a column. Rows with the same
            ``segment_id`` (and test set, languages and document) or the same reference belong to one segment.

    Raises:
        PfsmError: There is no such column, a field of it is blank, or ``system`` of preferences, which have two.
    """
    if isinstance(data, Table):
        places: Places | None = Places.of(data.path, data.line_numbers)
        columns = data.columns
    else:
        places = data.places
        columns = {"reference": data.references, **data.columns}
    where = "" if places is None else f"{', '.join(dict.fromkeys(places.files))}: "
    if by == SEGMENT and (SEGMENT_ID in columns or "reference" in columns):
        ids = columns.get(SEGMENT_ID, ())
        references = columns.get("reference", ids)
        if ids and places is not None:
            warn_of_repeated_ids(references, columns, places.of_row)
        return segment_names(references, ids, segment_places(columns, len(references)))
    if by == "system" and by not in columns and "better_system" in columns:
        raise PfsmError(f"{where}a preference is of two systems; take document, segment or a column")
    named = next((names for names in COLUMNS.get(by, ()) if set(names) <= {*columns}), (by,))
    if not set(named) <= {*columns}:
        wanted = COLUMNS[by][0][0] if by in COLUMNS else by
        raise PfsmError(f"{where}no column {wanted!r} to group by; the columns are {', '.join(columns)}")
    for name in named:
        for row, field in enumerate(columns[name]):
            if not field.strip():
                place = f"row {row + 1}" if places is None else places.of_row(row)
                raise PfsmError(f"{place}: {name} is {shown(field)}; fill it in, or group by another")
    return [BETWEEN.join(fields) for fields in zip(*(columns[name] for name in named), strict=True)]


def segment_names(
    references: Sequence[str], ids: Sequence[str], places: Sequence[tuple[str, ...]]
) -> Sequence[str]:
    """A name for each row's segment: its identifier, or a reference where several identifiers belong to one segment.

    Rows with the same identifier in the same place (`segment_places`) or the same reference belong to one segment;
    without identifiers on every row, those with the same reference. An identifier that is used in several places is
    named with its own.
    """
    if not (ids and all(ids)):
        return references
    named = {*zip(places, ids, strict=True)}
    uses = Counter(own for _, own in named)
    ids = [
        own if uses[own] == 1 else "\t".join((*place, own)) for place, own in zip(places, ids, strict=True)
    ]
    by_id, by_reference = (
        np.unique(np.array(keys, dtype=object), return_inverse=True)[1] for keys in (ids, references)
    )
    first = int(by_id.max()) + 1
    nodes = first + int(by_reference.max()) + 1
    shared = sparse.coo_array((np.ones(len(ids)), (by_id, first + by_reference)), shape=(nodes, nodes))
    segments = connected_components(shared, directed=False)[1][by_id]
    identifiers, texts = defaultdict(set), defaultdict(set)
    for segment, own, reference in zip(segments.tolist(), ids, references, strict=True):
        identifiers[segment].add(own)
        texts[segment].add(reference)
    return [
        own if len(identifiers[segment]) == 1 else min(texts[segment])
        for segment, own in zip(segments.tolist(), ids, strict=True)
    ]


def shuffled(names: Sequence[str], seed: int | None = None) -> list[str]:
    """The distinct names in an order that depends on them and on the seed alone."""
    salt = "" if seed is None else f"{seed} "
    return sorted(set(names), key=lambda name: hashlib.sha256(f"{salt}{name}".encode()).digest())


def held_out(names: Sequence[str], share: float, seed: int) -> NDArray[np.bool_]:
    """The rows of a test set of whole groups: bool [n].

    Args:
        names: [n], the group of each row; two groups at least.
        share: Of the rows; whole groups come as close to it as they can, in the order of `shuffled`.
        seed: Of that order.
    """
    order, sizes = shuffled(names, seed), Counter(names)
    rows = np.cumsum([sizes[name] for name in order])[:-1]
    taken = set(order[: int(np.argmin(np.abs(rows - share * len(names)))) + 1])
    return np.array([name in taken for name in names])


def counted(names: Sequence[str], by: str) -> str:
    """How many groups there are, in words."""
    number = len(set(names))
    what = by if by in {SEGMENT, *COLUMNS} else f"value of {by}"
    several = what.replace("value", "values") if " " in what else f"{what}s"
    return f"{number:,} {what if number == 1 else several}"
