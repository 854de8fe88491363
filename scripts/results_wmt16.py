"""Agreement with WMT16 direct assessment into English: this metric beside sentence BLEU, chrF++ and TER.

Trained on WMT15 direct assessment (cs de fi ru -> en, 2,000 judgments); lambda chosen by cross-validation over
its source languages; tested on the six into-English pairs of WMT16 (560 each). Needs PFSM_DATA and sacrebleu.

    PFSM_DATA=… python scripts/results_wmt16.py
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics import BLEU, CHRF, TER

from pfsm import Metric
from pfsm.data import Judgments, read_judgments
from pfsm.evaluation import pearson
from pfsm_training import TrainingConfig, read_config, train

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import CHECKOUT, data_folder, into_english

Scorer = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]


def main() -> None:
    """Trains twice (scores as given, and times 33 plus 50), tests, prints."""
    data = data_folder()
    training = Judgments.join([read_judgments(path) for path in into_english(data / "wmt15-daseg")])
    config = read_config(CHECKOUT / "configs" / "en-small.yaml")
    tests = {path.name[:2]: read_judgments(path) for path in into_english(data / "wmt16-daseg")}
    chosen = train(training, config=config)
    stretched = Judgments(
        training.references,
        training.hypotheses,
        33.0 * training.scores + 50.0,
        training.columns,
        training.sources,
    )
    rows: dict[str, Scorer] = {
        "sentence BLEU": sacrebleu_scorer(BLEU(effective_order=True)),
        "chrF++": sacrebleu_scorer(CHRF(word_order=2)),
        "TER": sacrebleu_scorer(TER(), sign=-1.0),
        f"pfsm, lambda {chosen.training['lambda']:g} (cross-validated)": Metric(chosen).score_pairs,
        "pfsm, the same on scores x 33 + 50": Metric(train(stretched, config=config)).score_pairs,
        "pfsm, lambda 5 (the paper's)": Metric(train(training, config=TrainingConfig())).score_pairs,
    }
    print(f"cross-validated on WMT15: {chosen.training['lambda_tried']}")
    print()
    print(f"| Pearson r, WMT16 | {' | '.join(f'{language}-en' for language in tests)} | mean |")
    print(f"|---|{'---|' * (len(tests) + 1)}")
    for name, scorer in rows.items():
        values = [pearson(scorer(test.hypotheses, test.references), test.scores) for test in tests.values()]
        cells = [*values, float(np.mean(values))]
        print(f"| {name} | {' | '.join(f'{value:.3f}' for value in cells)} |")


def sacrebleu_scorer(metric: BLEU | CHRF | TER, sign: float = 1.0) -> Scorer:
    """One of sacrebleu's metrics, sentence by sentence, higher is better."""

    def score(hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        pairs = zip(hypotheses, references, strict=True)
        return np.array(
            [sign * metric.sentence_score(hypothesis, [reference]).score for hypothesis, reference in pairs]
        )

    return score


if __name__ == "__main__":
    main()
