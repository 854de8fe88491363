"""Kendall's tau of sentence BLEU on the WMT12 and WMT13 rankings, compared with the published numbers of the tasks.

Sentence BLEU is sacrebleu's with its defaults, on raw text. The metrics tasks smoothed and tokenised differently, so
the third digit differs. Every vote counts once; contradictory votes count in both directions. Needs PFSM_DATA.

    PFSM_DATA=… python scripts/kendall_of_bleu.py
"""

import sys
from pathlib import Path

from pfsm.data import read_preferences
from pfsm.evaluation import preference_counts, preference_interval
from pfsm.evaluation.preference import PreferenceStatistic
from pfsm.metrics import get_metric

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import data_folder

LANGUAGES = ("cs", "de", "es", "fr")
PUBLISHED: dict[PreferenceStatistic, tuple[float, ...]] = {
    "wmt12": (0.157, 0.191, 0.189, 0.210),
    "wmt13": (0.199, 0.220, 0.259, 0.224),
}
"""Callison-Burch et al. (2012) and Macháček and Bojar (2013), each with its year's handling of metric ties."""


def main() -> None:
    """Prints the table."""
    print("| Kendall tau, sentence BLEU | pair | published | here | 95% interval, by segment |")
    print("|---|---|---|---|---|")
    for variant, published in PUBLISHED.items():
        for language, tau in zip(LANGUAGES, published, strict=True):
            print(line(variant, language, tau))


def line(variant: PreferenceStatistic, language: str, published: float) -> str:
    """A line of the table."""
    data = read_preferences(data_folder() / f"{variant}-rr" / f"{language}-en-test.tsv.gz")
    both = get_metric("bleu").score_pairs([*data.better, *data.worse], [*data.references, *data.references])
    better, worse = both[: len(data)], both[len(data) :]
    tau = preference_counts(better, worse, data.votes).kendall_tau(variant)
    interval = preference_interval(
        better, worse, data.votes, statistic=variant, segments=data.columns["segment_id"]
    )
    return f"| {variant} | {language}-en | {published:.3f} | {tau:.3f} | [{interval.low:.3f}, {interval.high:.3f}] |"


if __name__ == "__main__":
    main()
