"""Learns the models of errors that ship (`pfsm train --spans`) from experts' marks in PFSM_DATA.

python scripts/build_errors.py
"""

import json
from dataclasses import asdict

from real_data import CHECKOUT, data_folder

import pfsm
from pfsm.commands.spans import marked_translations
from pfsm.data.formats.registry import read_judged
from pfsm.io.files import atomic_write
from pfsm_training.error_spans import Lesson

RESOURCE = CHECKOUT / "pfsm" / "resources" / "errors.json"
WMT, TED = "wmt23-sxs-mqm/zh-en-dev.tsv.gz", "ted-mqm-spans/en-de-dev.tsv.gz"
# By kind, the model whose words are looked at, and of which sets every so many translations.
KINDS = {"edits": ("en-fast", {WMT: 1}), "encoder": ("en", {WMT: 1}), "multi": ("multi", {TED: 4, WMT: 3})}


def main() -> None:
    """Learns, and writes the file."""
    document = {}
    for kind, (name, sets) in KINDS.items():
        own = [
            one
            for file, step in sets.items()
            for one in marked_translations(read_judged(str(data_folder() / file)))[::step]
        ]
        found = Lesson(pfsm.load(name), own, name).learned(range(len(own)))
        document[kind] = asdict(found) | {
            "weights": {key: round(one, 4) for key, one in found.weights.items()}
        }
        print(kind, document[kind])
    with atomic_write(RESOURCE) as handle:
        handle.write(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
