"""Builds the models that ship in pfsm/resources/models, from the data folder named by PFSM_DATA.

``en-small``: words, stems and punctuation, finite-state machine; trained on the into-English direct assessments
of WMT15 and WMT16 (cs de fi ru -> en 500 each; cs de fi ro ru tr -> en 560 each), standardised means of at
least 15 raters; lambda by cross-validation over source languages; scale anchored on the training references.
"""

import sys
from dataclasses import replace
from pathlib import Path

from pfsm.data import Judgments, read_judgments
from pfsm.model import save_model
from pfsm_training import read_config, train
from pfsm_training.anchor import anchored

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import CHECKOUT, data_folder, into_english


def main() -> None:
    """Trains, anchors, writes."""
    data = data_folder()
    files = [*into_english(data / "wmt15-daseg"), *into_english(data / "wmt16-daseg")]
    judgments = Judgments.join([read_judgments(path) for path in files])
    config = read_config(CHECKOUT / "configs" / "en-small.yaml")
    model = train(judgments, config=config, name="en-small", licence="Apache-2.0")
    model = anchored(replace(model, training=named_by_set(model.training)), judgments.references)
    path = CHECKOUT / "pfsm" / "resources" / "models" / "en-small.json"
    save_model(model, path)
    validated = model.training["cross_validated"]
    print(f"{path.name}: lambda {model.training['lambda']}, cross-validated r {validated['pearson']:.3f}")


def named_by_set(training: dict[str, object] | object) -> dict[str, object]:
    """The record with the sets named beside it; the file names alone (cs-en-test.tsv.gz) repeat."""
    assert isinstance(training, dict)
    return {"sets": "WMT15 and WMT16 segment-level direct assessment, into English", **training}


if __name__ == "__main__":
    main()
