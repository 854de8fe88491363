"""What a reader needs in addition to the files that hold the judgments."""

from dataclasses import dataclass, fields
from typing import Literal

SegmentOrder = Literal["file", "document"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of all formats; `pfsm.data.formats.FORMATS` says which format uses which."""

    references: tuple[str, ...] = ()
    """Reference files, one segment per line or NIST; for mt-metrics-eval names of references. The best comes first."""
    sources: str = ""
    """A file of source segments."""
    system_outputs: tuple[str, ...] = ()
    """Files of system outputs, folders of them, or ``NAME=FILE``."""
    scores: tuple[str, ...] = ()
    """Files of scores."""
    documents: str = ""
    """A file that names the document of each segment."""
    source_lang: str = ""
    target_lang: str = ""
    test_set: str = ""
    score_column: str = ""
    """The column that becomes the score."""
    human_score: str = ""
    """The name of the human score to read, if an mt-metrics-eval folder has several."""
    sid_order: SegmentOrder | None = None
    """What segment numbers of direct assessments count: segments by file, or by document sorted by name."""
    weights: str = ""
    """Weights of MQM errors; see `pfsm.data.formats.mqm.parse_weights`."""
    reference_systems: tuple[str, ...] = ()
    """Systems of an MQM file whose translations are the references."""
    unquote: bool = False
    """Remove the CSV quotes around some fields of early MQM files."""
    keep_ties: bool = False
    """Count ties of rankings, in an additional column."""
    per_rater: bool = False
    """One record per rater instead of one for all raters."""
    skip_unknown_systems: bool = False
    """Leave out judgments of systems whose output is not given, instead of refusing them."""


def given(options: Options) -> list[str]:
    """The names of the options that are not at their defaults."""
    default = Options()
    return [
        entry.name
        for entry in fields(options)
        if getattr(options, entry.name) != getattr(default, entry.name)
    ]


def flag(name: str) -> str:
    """An option as the command line spells it."""
    return f"--{name.replace('_', '-')}"
