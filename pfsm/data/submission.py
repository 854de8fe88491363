"""Score files for the WMT metrics task, and for mt-metrics-eval.

*WMT* (the layout of the metrics task since 2022), fields separated by tabs, no header:

    PREFIX.seg.score   metric  language pair  test set  domain  document  reference  system  segment  score
    PREFIX.sys.score   metric  language pair  test set  domain  reference  system  score

Segments count from 1. A system's score is the mean of its segments, or the metric's own corpus score, over all domains
(domain ``all``) and, where domains are known, within each. *mt-metrics-eval*, files for each
reference, the last two where domains and documents are known:

    PREFIX-REFERENCE.seg.score   system  score      every segment of a system, then the next system's
    PREFIX-REFERENCE.sys.score   system  score
    PREFIX-REFERENCE.domain.score   domain  system  score
    PREFIX-REFERENCE.doc.score   system  score      every document of a system in their order, then the next system's

Scores are written with enough digits to read the same number back.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, atomic_write, display_name, read_lines

SystemScore = Callable[[str, str, NDArray[np.int64]], float]

ALL = "all"
"""Domain and document if none are known, and the domain of a whole test set."""
FORMATS = ("wmt", "mtme")


@dataclass(frozen=True, eq=False)
class Submission:
    """Scores of systems on one test set, and the names under which they are submitted; made by `submission`.

    Attributes:
        metric: Name of the metric.
        language_pair: Such as ``en-de``.
        test_set: Such as ``generaltest2023``.
        scores: By reference and system, float64 [n_segments].
        domains: [n_segments]; `ALL` where they are not known.
        documents: [n_segments]; `ALL` where they are not known.
        system_score: Gives the score of a system on some segments, from the names of reference and system and the
            numbers of the segments, int64 [n]; None: the mean of the segment scores.
    """

    metric: str
    language_pair: str
    test_set: str
    scores: Mapping[str, Mapping[str, NDArray[np.float64]]]
    domains: Sequence[str]
    documents: Sequence[str]
    system_score: SystemScore | None = None

    def score(self, reference: str, system: str, rows: NDArray[np.int64]) -> float:
        """The score of a system on some segments."""
        if self.system_score is not None:
            return self.system_score(reference, system, rows)
        return float(self.scores[reference][system][rows].mean())


def submission(
    metric: str,
    language_pair: str,
    test_set: str,
    scores: Mapping[str, Mapping[str, NDArray[np.float64]]],
    domains: Sequence[str] | None = None,
    documents: Sequence[str] | None = None,
    system_score: SystemScore | None = None,
) -> Submission:
    """Checks names and scores, and builds a `Submission`.

    Args:
        metric: As in `Submission`; names contain no white space.
        language_pair: As in `Submission`.
        test_set: As in `Submission`.
        scores: As in `Submission`.
        domains: [n_segments].
        documents: [n_segments].
        system_score: As in `Submission`.
    """
    series = [values for systems in scores.values() for values in systems.values()]
    n = len(series[0]) if series else 0
    if any(values.shape != (n,) or not np.isfinite(values).all() for values in series):
        raise ValueError("every system needs one finite score for every segment")
    labels = [[ALL] * n if names is None else list(names) for names in (domains, documents)]
    if any(len(names) != n for names in labels):
        raise ValueError(f"there are {n} segments; as many domains and documents are needed")
    for what, name in (("metric name", metric), ("test set", test_set)):
        check_name(what, name)
    if not re.fullmatch(r"[A-Za-z0-9_]+-[A-Za-z0-9_]+", language_pair):
        raise PfsmError(
            f"language pair is {language_pair!r}, two codes with a hyphen such as en-de are needed"
        )
    for what, names in (
        ("reference", [*scores]),
        ("system", [name for systems in scores.values() for name in systems]),
        ("domain", sorted(set(labels[0]))),
        ("document", sorted(set(labels[1]))),
    ):
        for name in names:
            check_name(what, name)
    return Submission(metric, language_pair, test_set, scores, labels[0], labels[1], system_score)


def check_name(what: str, name: str) -> None:
    """Refuse a name that readers of the files would take for several names, or for none."""
    if not name or re.search(r"\s", name):
        raise PfsmError(f"{what} is {name!r}; the files separate names by white space, give one without any")


def submission_files(
    prefix: str, references: Sequence[str], layout: str, domains: bool = False, documents: bool = False
) -> list[str]:
    """The files that `write_submission` writes.

    Args:
        prefix: Of their names.
        references: Names of the references.
        layout: "wmt" or "mtme".
        domains: Whether domains are known.
        documents: Whether documents are known.
    """
    if layout not in FORMATS:
        raise ValueError(f"format is {layout!r}, 'wmt' or 'mtme' is needed")
    stems = [prefix] if layout == "wmt" else [f"{prefix}-{reference}" for reference in references]
    further = [["domain"] * domains, ["doc"] * documents] if layout == "mtme" else []
    return [f"{stem}.{level}.score" for stem in stems for level in ("seg", "sys", *chain(*further))]


def write_submission(found: Submission, prefix: str, layout: str = "wmt") -> list[str]:
    """Write the score files; no file is left half-written.

    Args:
        found: The scores.
        prefix: Of the files' names.
        layout: "wmt" or "mtme".

    Returns:
        The files' names.
    """
    known = set(found.domains) != {ALL}, set(found.documents) != {ALL}
    names = submission_files(prefix, [*found.scores], layout, *known)
    parts: list[Iterable[tuple[str, ...]]] = []
    if layout == "wmt":
        parts = [_wmt_segments(found), _wmt_systems(found)]
    else:
        for reference, systems in found.scores.items():
            scores = ((system, repr(one)) for system, row in systems.items() for one in row.tolist())
            parts += [scores, _mtme_systems(found, reference)]
            parts += [_mtme_domains(found, reference)] * known[0]
            parts += [_mtme_documents(found, reference)] * known[1]
    for name, rows in zip(names, parts, strict=True):
        with atomic_write(name) as handle:
            for row in rows:
                handle.write("\t".join(row) + "\n")
    return names


def read_labels(path: StrPath) -> tuple[list[str], list[str] | None]:
    """Read the document of every segment, and its domain if the file has domains.

    Args:
        path: A line for each segment: a document, or a domain and a document with white space between, as in
            mt-metrics-eval's ``documents/LP.docs``.

    Returns:
        Documents, and domains or None.
    """
    name = display_name(path)
    rows = [line.split() for line in read_lines(path)]
    for number, row in enumerate(rows, start=1):
        if len(row) not in {1, 2} or len(row) != len(rows[0]):
            raise PfsmError(
                f"{name}:{number}: {len(row)} names; every line needs a document, or every line a domain and "
                "a document"
            )
    documents = [row[-1] for row in rows]
    return documents, [row[0] for row in rows] if rows and len(rows[0]) == 2 else None


def _wmt_segments(found: Submission) -> Iterator[tuple[str, ...]]:
    first = (found.metric, found.language_pair, found.test_set)
    for reference, systems in found.scores.items():
        for system, scores in systems.items():
            labels = zip(found.domains, found.documents, scores.tolist(), strict=True)
            for number, (domain, document, score) in enumerate(labels, start=1):
                yield (*first, domain, document, reference, system, f"{number}", repr(score))


def _wmt_systems(found: Submission) -> Iterator[tuple[str, ...]]:
    first = (found.metric, found.language_pair, found.test_set)
    for domain in (ALL, *sorted(set(found.domains) - {ALL})):
        # Compared by Python: numpy drops NUL characters at the end of a name.
        rows = np.flatnonzero([domain in {ALL, one} for one in found.domains])
        for reference, systems in found.scores.items():
            for system in systems:
                yield (*first, domain, reference, system, repr(found.score(reference, system, rows)))


def _mtme_systems(found: Submission, reference: str) -> Iterator[tuple[str, ...]]:
    rows = np.arange(len(found.domains))
    for system in found.scores[reference]:
        yield system, repr(found.score(reference, system, rows))


def _mtme_domains(found: Submission, reference: str) -> Iterator[tuple[str, ...]]:
    for domain in sorted(set(found.domains)):
        rows = _rows_of(found.domains, domain)
        for system in found.scores[reference]:
            yield domain, system, repr(found.score(reference, system, rows))


def _mtme_documents(found: Submission, reference: str) -> Iterator[tuple[str, ...]]:
    for system in found.scores[reference]:
        for document in dict.fromkeys(found.documents):
            yield system, repr(found.score(reference, system, _rows_of(found.documents, document)))


def _rows_of(names: Sequence[str], name: str) -> NDArray[np.int64]:
    return np.flatnonzero([one == name for one in names])
