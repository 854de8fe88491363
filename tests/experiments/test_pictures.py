"""The text in plots: names fit, and long names hide no number."""

import numpy as np
import pytest
from scipy import stats

from pfsm.data import Judgments
from pfsm.evaluation import Interval
from pfsm_experiments import data as experiment_data
from pfsm_experiments.estimates import Column, Entry, Prediction
from pfsm_experiments.report.figures import (
    AROUND_INTERVALS,
    COLOURS,
    INTERVALS,
    LONGEST_TITLE,
    bars,
    scatter,
)
from pfsm_experiments.report.plots import STYLE
from pfsm_experiments.report.tables import result_tables
from pfsm_experiments.report.weights import LONGEST_LABEL, label


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("S_word", "S_word"),
        ("feature:chrf", "chrf"),
        ("feature:embedding_f1(layer=4,source=package:a-b@34fac109)", "embedding_f1(layer=4)"),
        ("feature:embedding_distance(source=package:a-b@34fac109)", "embedding_distance"),
        ("feature:" + "x" * 40, "x" * (LONGEST_LABEL - 1) + "…"),
    ],
)
def test_labels_of_weights(name: str, shown: str) -> None:
    assert label(name) == shown


def test_a_long_name_does_not_hide_the_correlation() -> None:
    scores = np.array([1.0, 2.0, 4.0, 3.0])
    predicted = np.array([0.1, 0.5, 0.4, 0.6])
    data = Judgments(("r",) * 4, ("h",) * 4, scores, {}, ())
    test = experiment_data.TestSet("set", data, ("all",) * 4, np.zeros(4, dtype=np.int64))
    row = "a name that is much too long to stand above a panel"
    draw = scatter(test, [Prediction(row, None, 0, {"set": predicted})])
    assert draw is not None
    axes = draw().axes[0]
    assert axes.get_title() == row[: LONGEST_TITLE - 1] + "…"
    r = f"{stats.pearsonr(predicted, scores)[0]:.3f}".lstrip("0")
    assert [text.get_text() for text in axes.texts] == [f"r = {r}"]


@pytest.mark.parametrize("rows", [3, 90])
def test_a_long_legend_leaves_room_for_the_bars(rows: int) -> None:
    import matplotlib as mpl

    column = Column("set", "all", 30)
    entries = [
        Entry(f"a metric of the name {number}", "pearson", column, 0.5, Interval(0.4, 0.6))
        for number in range(rows)
    ]
    with mpl.rc_context(STYLE):
        figure = bars(result_tables(entries)[0])
        figure.draw_without_rendering()  # warns where it can make no room
    (axes,) = figure.axes
    assert axes.get_position().height * figure.get_size_inches()[1] > 2.0  # inches


def contrast(one: str, other: str) -> float:
    """Of two colours, 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((luminance(colour) + 0.05 for colour in (one, other)), reverse=True)
    return lighter / darker


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("bar", COLOURS)
def test_an_interval_is_seen_on_every_bar(bar: str) -> None:
    """One of the two colours of the line has the contrast that the guidelines require of graphics."""
    assert max(contrast(bar, INTERVALS), contrast(bar, AROUND_INTERVALS)) >= 3.0
    assert contrast(INTERVALS, AROUND_INTERVALS) > 15.0
