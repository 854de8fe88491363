"""Explains the example of section 4.3 of Wang and Manning (2012) with the pushdown machine, as text and as pages.

The machine is trained on WMT15 direct assessment (cs de fi ru -> en, 2,000 judgments) with jump limit 5, once with the
paper's lambda and once with lambda by cross-validation over source languages. Models and pages are written to FOLDER.

    PFSM_DATA=… python scripts/paper_example.py FOLDER
"""

import sys
from pathlib import Path

from pfsm import Metric, save_model
from pfsm.data import Judgments, read_judgments
from pfsm.io.files import atomic_write
from pfsm.model.explain.page import render_page
from pfsm.model.explain.text import explanation_lines
from pfsm_training import train
from pfsm_training.config import config_from_dict

sys.path.insert(0, str(Path(__file__).resolve().parent))
from real_data import data_folder, into_english

REFERENCE = "Two Jordanese sentenced for plotting an attack on Americans"
HYPOTHESIS = "The name of Jordan plotting attacks Americans were sentenced to death"


def main() -> None:
    """Trains both models, prints the explanations and writes the pages."""
    if len(sys.argv) != 2:
        sys.exit("usage: paper_example.py FOLDER")
    folder = Path(sys.argv[1])
    files = into_english(data_folder() / "wmt15-daseg")
    judgments = Judgments.join([read_judgments(path) for path in files])
    for penalty in (5.0, "auto"):
        config = config_from_dict({"max_jump": 5, "lambda": penalty}, "example")
        model = train(judgments, config=config, name="j5")
        save_model(model, folder / f"j5-{penalty}.json")
        metric = Metric(model)
        explanation = metric.explain(HYPOTHESIS, REFERENCE)
        print(f"lambda {model.training['lambda']:g} ({model.training['lambda_choice']})")
        for line in explanation_lines(explanation):
            print(f"  {line}".rstrip())
        print()
        with atomic_write(folder / f"example-{penalty}.html") as handle:
            handle.write(render_page([("system", [explanation])], "Two Jordanese", metric.get_signature(1)))


if __name__ == "__main__":
    main()
