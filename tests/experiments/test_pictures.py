"""Pictures: legends leave room, intervals can be seen."""

from pfsm.evaluation import Interval
from pfsm_experiments.estimates import Column, Entry
from pfsm_experiments.report.pictures import AROUND_INTERVALS, COLOURS, INTERVALS, STYLE, bars
from pfsm_experiments.report.tables import result_tables


def test_a_long_legend_leaves_room_for_the_bars() -> None:
    import matplotlib as mpl

    column = Column("set", "all", 30)
    entries = [
        Entry(f"a metric of the name {number}", "pearson", column, 0.5, Interval(0.4, 0.6))
        for number in range(90)
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


def test_an_interval_is_seen_on_every_bar() -> None:
    """One of the two colours of the line has the contrast that the guidelines require of graphics."""
    for bar in COLOURS:
        assert max(contrast(bar, INTERVALS), contrast(bar, AROUND_INTERVALS)) >= 3.0
    assert contrast(INTERVALS, AROUND_INTERVALS) > 15.0
