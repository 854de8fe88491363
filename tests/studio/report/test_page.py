"""The page of a training: well formed, self-contained, escaped, the same bytes whatever threads and order of rows."""

from dataclasses import replace
from pathlib import Path

from pfsm.data import Judgments
from pfsm_training.fit.training import Training
from pfsm_training.report import write_report
from tests.studio.pages import Page, assert_self_contained
from tests.training.report_cases import kept
from tests.training.small_data import invented

ODD = '<b onclick="x">odd</b> & {{style}} \u202e "quoted" </script>'


def page_of(training: Training, folder: Path) -> str:
    write_report(training, folder / "page.html", ())
    return (folder / "page.html").read_bytes().decode("utf-8")


def odd(judgments: Judgments) -> Judgments:
    """The same judgments, and the system's name is markup; so is a word of every third sentence."""
    hypotheses = [f"{line} {ODD}" if at % 3 == 0 else line for at, line in enumerate(judgments.hypotheses)]
    systems = tuple((ODD, "plain")[at % 2] for at in range(len(judgments)))
    return replace(judgments, hypotheses=tuple(hypotheses), columns={**judgments.columns, "system": systems})


def test_it_loads_nothing_and_runs_only_its_own_script(tmp_path: Path) -> None:
    page = Page(page_of(kept(odd(invented(3, 24))), tmp_path))
    assert_self_contained(page)
    assert page.attributes("b") == []
    assert " ".join(ODD.split()) in page.shown
    pictures = [one for one in page.attributes("svg") if "aria-hidden" not in one]
    assert all(one["role"] == "img" and len(str(one["aria-label"])) > 15 for one in pictures)
    # What was learned comes first: this model and chrF++, held out.
    assert page.shown.index("it was not trained on") < page.shown.index("Agreement with people")
    assert "chrF++ by 0." in page.shown
