"""Tables in Markdown: digits, marks, the best number, and escaped characters."""

from pfsm.evaluation import Interval
from pfsm_experiments.data import MEAN
from pfsm_experiments.estimates import Column, Difference, Entry
from pfsm_experiments.report.tables import markdown_table, result_tables, short

CS, DE, ALL = Column("a_set", "cs", 30), Column("a_set", "de", 40), Column("a_set", MEAN, 70)


def entry(
    row: str, column: Column, value: float | None, p_holm: float | None = None, by: float = 0.0
) -> Entry:
    interval = None if value is None else Interval(value - 0.0125, value + 0.05)
    difference = (
        None if p_holm is None else Difference(by, Interval(*sorted((by / 2, 2 * by))), p_holm, p_holm)
    )
    return Entry(row, "pearson", column, value, interval, (), difference)


ENTRIES = [
    *(entry("base", CS, 0.5), entry("R&D_1 | 50%", CS, 0.5004, 0.5, 0.0004), entry("none", CS, None)),
    *(entry("base", DE, -0.25), entry("R&D_1 | 50%", DE, 0.75, 0.049, 1.0), entry("none", DE, None)),
    *(entry("base", ALL, 0.125), entry("R&D_1 | 50%", ALL, -0.01, 0.01, -0.135), entry("none", ALL, None)),
]


def test_markdown() -> None:
    texts = {-0.25: "-.250", 0.9996: "1.000", -0.0001: ".000", None: "–", 10.2: "10.200"}
    assert [short(value) for value in texts] == [*texts.values()]
    (found,) = result_tables(ENTRIES)
    assert markdown_table(found).splitlines() == [
        "| Pearson's r, a_set | cs | de | mean |",
        "| --- | --- | --- | --- |",
        "| base | **.500** | -.250 | **.125** |",
        r"| R&D_1 \| 50% | **.500** | **.750**▲ | -.010▼ |",
        "| none | – | – | – |",
        "| n | 30 | 40 | 70 |",
    ]
