"""Speed of scoring compared with other metrics, on the same real pairs, in one process and on one core.

    PFSM_DATA=… BENCH_OUT=scripts/benchmarks/measured python scripts/benchmarks/peers.py

The README's table, the one of docs/performance.md and the picture of accuracy and speed are made from
scripts/benchmarks/measured/peers.json: ``scripts/build_tables.py --write``, ``scripts/build_pictures.py --write``.
``en-large`` has to be installed: ``pip install ./encoders/large``.

pfsm is timed with an empty vocabulary (every sentence is new) and with a full one. RapidFuzz is given token ids, so its
time is without tokenisation. Greedy matching as in BERTScore runs over the encoder that ships (``embedding_f1``), and
no vectors are stored before. METEOR 1.5 is timed if Java and the package pycocoevalcap are installed.
"""

import os
import shutil
import sys
import tempfile
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from rapidfuzz.distance import Levenshtein
from real_data import data_folder, distinct_pairs, into_english
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from stopwatch import Report, cost, cost_of_command, one_core

import pfsm
from pfsm.lexicons.meteor import table_path
from pfsm.metrics import get_metric
from pfsm.text.vocabulary import Vocabulary

PAIRS = 3000
RUNS = 3
# A model that runs a network takes some milliseconds a pair: it scores a tenth of the pairs.
MODELS = {"en-small": PAIRS, "en-fast": PAIRS, **dict.fromkeys(("en", "multi", "en-large"), PAIRS // 10)}
SECTION = "scores of pairs of sentences, one core"


def main() -> None:
    """Times all metrics in turn on the same pairs."""
    one_core()
    references, hypotheses = pairs()
    report = Report(f"Scoring compared with other metrics, {len(references):,} pairs")
    for model, number in MODELS.items():
        warm, both = pfsm.load(model, 1), (hypotheses[:number], references[:number])
        fresh = cost(lambda: pfsm.load(model, 1).score_pairs(*both), RUNS)  # noqa: B023 - timed at once
        report.add(SECTION, f"pfsm {model}, new sentences", number, fresh)
        known = cost(partial(warm.score_pairs, *both), RUNS)
        report.add(SECTION, f"pfsm {model}, known sentences", number, known)
    some = list(zip(hypotheses, references, strict=True))[: PAIRS // 10]
    for name, metric in (
        ("sacrebleu sentence BLEU", BLEU(effective_order=True)),
        ("sacrebleu chrF", CHRF()),
        ("sacrebleu chrF++", CHRF(word_order=2)),
        ("sacrebleu TER", TER()),
    ):
        each = cost(partial(_each, metric, some), RUNS)
        report.add(SECTION, name, len(some), each)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PFSM_RESOURCES"] = folder
        few = hypotheses[: PAIRS // 10], references[: PAIRS // 10]
        greedy = cost(lambda: get_metric("embedding_f1").score_pairs(*few), 1, warm_up=False)
        name = "greedy matching over the encoder (embedding_f1), new sentences"
        report.add(SECTION, name, len(few[0]), greedy)
    vocabulary = Vocabulary()
    sides = [vocabulary.encode(lines) for lines in (references, hypotheses)]
    ids = [[side.ids[a:b].tolist() for a, b in pairwise(side.offsets)] for side in sides]
    distances = cost(lambda: [Levenshtein.distance(r, h) for r, h in zip(*ids, strict=True)], RUNS)
    report.add(SECTION, "RapidFuzz Levenshtein on token ids", len(references), distances)
    table = table_path()
    if table is not None and shutil.which("java"):
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in ("hypothesis.txt", "reference.txt")]
            for path, lines in zip(paths, (hypotheses, references), strict=True):
                path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            jar = str(table.parent.parent / "meteor-1.5.jar")
            command = ["java", "-Xmx2G", "-jar", jar, *map(str, paths), "-l", "en", "-norm"]
            whole = cost_of_command(command, 1, warm_up=False)
            report.add(SECTION, "METEOR 1.5 (jar), whole process", len(references), whole)
    report.save()


def pairs() -> tuple[list[str], list[str]]:
    """References and hypotheses of the first distinct pairs of WMT16."""
    return distinct_pairs(into_english(data_folder() / "wmt16-daseg"), PAIRS)


def _each(metric: Any, some: list[tuple[str, str]]) -> None:
    """Computes sacrebleu's sentence scores one after the other."""
    for hypothesis, reference in some:
        metric.sentence_score(hypothesis, [reference])


if __name__ == "__main__":
    main()
