"""Builds pfsm/resources/lexicons/learned-en.lexicon from the data folder named by PFSM_DATA.

The paraphrases are learned with the defaults of ``pfsm resources learn-paraphrases`` from the references and
translations of sets on which no result is reported: WMT15 direct assessment (cs de fi ru), WMT21 direct assessment (is
ja ru) and MQM (zh), WMT19 relative ranking (gu), all into English. The metric that aligns them (words, stems,
punctuation) is trained on WMT15 here, since the shipped ones are trained on WMT16 too; no other scores are used. The
lexicon contains phrases of one or two words that occur in at least five segments, and numbers. Post-edits (MLQE-PE)
were tried and left out, because a post-edit mostly replaces an error by its correction. The same files give the same
bytes.
"""

import sys
from pathlib import Path

from pfsm.data import Judgments, read_judgments
from pfsm.lexicons.container import Source, write_lexicon
from pfsm.lexicons.paraphrases import compile_paraphrases
from pfsm.lexicons.versions import read_versions
from pfsm.runtime.threads import default_threads
from pfsm_training import train
from pfsm_training.lexicons.learning import learn_paraphrases

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import CHECKOUT, data_folder, into_english

NAME = "learned-en"
SETS = ("wmt15-daseg/*-en-*", "wmt19-darr/gu-en-*", "wmt21-da/*-en-*", "wmt21-mqm/*-en-*")
LARGEST = 3_000_000


def main() -> None:
    """Learns the paraphrases and writes the lexicon."""
    data = data_folder()
    paths = [path for pattern in SETS for path in sorted(data.glob(pattern))]
    segments, files = read_versions(paths)
    model = train(Judgments.join([read_judgments(path) for path in into_english(data / "wmt15-daseg")]))
    pairs = learn_paraphrases(segments, model, threads=default_threads())
    sources = [
        Source(f"{path.parent.name}/{path.name}", file.checksum)
        for path, file in zip(paths, files, strict=True)
    ]
    about = "learned from references and translations of WMT15, 19 and 21 into English"
    path = CHECKOUT / "pfsm" / "resources" / "lexicons" / f"{NAME}.lexicon"
    write_lexicon(compile_paraphrases(NAME, pairs, "Apache-2.0", sources, about), path)
    size = path.stat().st_size
    if size > LARGEST:
        sys.exit(f"{path.name}: {size} bytes are too many to ship")
    print(f"{path.name}: {len(pairs)} pairs from {len(segments)} segments, {size:,} bytes")


if __name__ == "__main__":
    main()
