"""Table 1 of Wang and Manning (2012) on public data: block edits, and jumps of growing distance.

Trained on WMT15 direct assessment (cs de fi ru -> en, 2,000 judgments, lambda 5), tested on each into-English pair of
WMT16 (560 each). Columns: the finite-state machine with blocks of one and of up to two tokens (n1, n2), and the
pushdown machine with jump limits 1, 2, 5, 10 (j1 … j10). Pearson's r and Spearman's rho with 95% bootstrap intervals.

    PFSM_DATA=… python scripts/results_jumps.py
"""

import sys
from pathlib import Path

from pfsm import Metric
from pfsm.data import Judgments, read_judgments
from pfsm.evaluation import GroupEvaluation, Interval, evaluate_groups
from pfsm_training import train
from pfsm_training.config import config_from_dict

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import data_folder, into_english

COLUMNS = {
    "n1": {"max_block": 1, "max_jump": 0},
    "n2": {"max_block": 2, "max_jump": 0},
    "j1": {"max_jump": 1},
    "j2": {"max_jump": 2},
    "j5": {"max_jump": 5},
    "j10": {"max_jump": 10},
}


def main() -> None:
    """Trains a model a column, tests, prints a table for each statistic."""
    data = data_folder()
    training = Judgments.join([read_judgments(path) for path in into_english(data / "wmt15-daseg")])
    test = Judgments.join([read_judgments(path) for path in into_english(data / "wmt16-daseg")])
    results = {}
    for name, settings in COLUMNS.items():
        model = train(training, config=config_from_dict(settings, name))
        predicted = Metric(model).score_pairs(test.hypotheses, test.references)
        results[name] = evaluate_groups(predicted, test.scores, test.columns["source_lang"])
        validated = model.training["cross_validated"]["pearson"]
        print(f"{name}: cross-validated Pearson on WMT15 {validated:.3f}", file=sys.stderr)
    for statistic in ("pearson", "spearman"):
        print_table(statistic, results)


def print_table(statistic: str, results: dict[str, GroupEvaluation]) -> None:
    """One row a language pair, then the mean."""
    print(f"\n| {statistic} | {' | '.join(results)} |")
    print(f"|---|{'---|' * len(results)}")
    languages = [group.name for group in next(iter(results.values())).groups]
    for row, language in enumerate(languages):
        cells = [getattr(result.groups[row], statistic) for result in results.values()]
        print(f"| {language}-en | {' | '.join(cell(entry.value, entry.interval) for entry in cells)} |")
    means = [getattr(result, statistic) for result in results.values()]
    print(f"| mean | {' | '.join(cell(entry.value, entry.interval) for entry in means)} |")


def cell(value: float, interval: Interval) -> str:
    """A number and its interval."""
    return f"{value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


if __name__ == "__main__":
    main()
