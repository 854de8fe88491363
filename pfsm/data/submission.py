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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write

SystemScore = Callable[[str, str, NDArray[np.int64]], float]
"""The score of a system on some segments, from the names of reference and system and the numbers of the segments."""
Scores = Mapping[str, Mapping[str, NDArray[np.float64]]]
"""By reference and system, float64 [n_segments]."""
Cells = tuple[str, ...]

ALL = "all"
"""Domain and document if none are known, and the domain of a whole test set."""
FORMATS = ("wmt", "mtme")


@dataclass(frozen=True)
class Submission:
    """Names under which scores of systems on one test set are submitted; none contains white space.

    Attributes:
        metric: Name of the metric.
        language_pair: Such as ``en-de``.
        test_set: Such as ``generaltest2023``.
        references: Their names.
        systems: Their names.
        domains: [n_segments]; None where they are not known.
        documents: [n_segments]; None where they are not known.

    Raises:
        PfsmError: If readers of the files would take a name for several names, or for none.
    """

    metric: str
    language_pair: str
    test_set: str
    references: Sequence[str]
    systems: Sequence[str]
    domains: Sequence[str] | None = None
    documents: Sequence[str] | None = None

    def __post_init__(self) -> None:
        check_names("metric name", [self.metric])
        check_names("test set", [self.test_set])
        if not re.fullmatch(r"[A-Za-z0-9_]+-[A-Za-z0-9_]+", self.language_pair):
            raise PfsmError(
                f"language pair is {self.language_pair!r}, two codes with a hyphen such as en-de are needed"
            )
        check_names("reference", self.references)
        check_names("system", self.systems)
        check_names("domain", sorted(set(self.domains or ())))
        check_names("document", sorted(set(self.documents or ())))

    def files(self, prefix: str, layout: str) -> list[str]:
        """The files that `write` writes, in its order; arguments as there."""
        if layout == "wmt":
            return [f"{prefix}.seg.score", f"{prefix}.sys.score"]
        levels = ["seg", "sys", *["domain"] * bool(self.domains), *["doc"] * bool(self.documents)]
        return [f"{prefix}-{reference}.{level}.score" for reference in self.references for level in levels]

    def write(self, prefix: str, layout: str, scores: Scores, score: SystemScore) -> list[str]:
        """Writes the score files; no file is left half-written.

        Args:
            prefix: Of their names.
            layout: One of `FORMATS`.
            scores: Of all segments, finite.
            score: Gives the score of a system on some segments.
        """
        names = self.files(prefix, layout)
        parts = self._wmt(scores, score) if layout == "wmt" else self._mtme(scores, score)
        for name, rows in zip(names, parts, strict=True):
            with atomic_write(name) as handle:
                handle.writelines("\t".join(row) + "\n" for row in rows)
        return names

    def _wmt(self, scores: Scores, score: SystemScore) -> Iterator[list[Cells]]:
        """The rows of each file."""
        first = (self.metric, self.language_pair, self.test_set)
        n = len(scores[self.references[0]][self.systems[0]])
        domains, documents = self.domains or [ALL] * n, self.documents or [ALL] * n
        yield [
            (*first, domain, document, reference, system, f"{number}", repr(value))
            for reference, systems in scores.items()
            for system, values in systems.items()
            for number, (domain, document, value) in enumerate(
                zip(domains, documents, values.tolist(), strict=True), start=1
            )
        ]
        # Compared by Python: numpy drops NUL characters at the end of a name.
        yield [
            (*first, domain, reference, system, repr(score(reference, system, rows)))
            for domain in (ALL, *sorted(set(domains) - {ALL}))
            for rows in [np.flatnonzero([domain in {ALL, one} for one in domains])]
            for reference, systems in scores.items()
            for system in systems
        ]

    def _mtme(self, scores: Scores, score: SystemScore) -> Iterator[list[Cells]]:
        """The rows of each file."""
        for reference, systems in scores.items():
            yield [(system, repr(value)) for system, values in systems.items() for value in values.tolist()]
            yield [
                (system, repr(score(reference, system, np.arange(len(values)))))
                for system, values in systems.items()
            ]
            if self.domains:
                yield [
                    (domain, system, repr(score(reference, system, _rows_of(self.domains, domain))))
                    for domain in sorted(set(self.domains))
                    for system in systems
                ]
            if self.documents:
                yield [
                    (system, repr(score(reference, system, _rows_of(self.documents, document))))
                    for system in systems
                    for document in dict.fromkeys(self.documents)
                ]


def check_names(what: str, names: Sequence[str]) -> None:
    """Refuse names that readers of the files would take for several names, or for none."""
    for name in names:
        if not name or re.search(r"\s", name):
            raise PfsmError(
                f"{what} is {name!r}; the files separate names by white space, give one without any"
            )


def _rows_of(names: Sequence[str], name: str) -> NDArray[np.int64]:
    return np.flatnonzero([one == name for one in names])
