"""Overlap of training data and test data."""

from collections.abc import Mapping

from pfsm.data.reference_digests import overlap
from pfsm.model.file import Model
from pfsm_experiments.data import Judged, Rows, TestSet, TrainData, segments_of
from pfsm_experiments.spec import RowSpec


def overlap_with_model(model: Model, test: TestSet) -> str | None:
    """The reason not to test a model on a test set: its training record names a file of the set; None without."""
    entries = model.training.get("data", [])
    known = {str(entry.get("sha256")) for entry in entries if isinstance(entry, Mapping)}
    if known & {source.checksum for source in test.data.sources}:
        return f"the model {model.name} was trained on it"
    return None


def overlap_with_training(train: TrainData, test: TestSet) -> str | None:
    """The reason not to test on a test set: it shares a file, and pairs, with the training data; None without."""
    checksums = {source.checksum for part in train.parts for source in part.sources}
    if not checksums & {source.checksum for source in test.data.sources}:
        return None
    ours = {pair for part in train.parts for pair in _pairs(part)}
    common = len(ours & _pairs(test.data))
    return f"{common} of its pairs are in the training data" if common else None


def reference_notes(row: RowSpec, train: TrainData | None, fold: str, test: TestSet, rows: Rows) -> list[str]:
    """Notes on references that training data and test data have in common."""
    references = {line for at in rows.tolist() for line in test.data.all_references[at]}
    about = f"{test.name} ({fold})" if fold else test.name
    of = f"of the {len(references)} references of {about}"
    notes = [
        f"{row.name}: {common} {of} are in the training data of the model {model.name}"
        for model in (row.model, row.init)
        if model is not None
        and (common := overlap(references, str(model.training.get("reference_digests", ""))))
    ]
    if train is not None:
        known = {line for part in train.parts for several in part.all_references for line in several}
        if common := len(references & known):
            own = f"{row.name}: " if row.train_data else ""
            notes.append(f"{own}{common} {of} are in the training data")
    return notes


def _pairs(data: Judged) -> set[tuple[str, str]]:
    return {(ours, line) for ours, several in zip(*segments_of(data), strict=True) for line in several}
