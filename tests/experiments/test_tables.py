"""Tables in Markdown and LaTeX: digits, marks, the best number, and escaped characters."""

import re
from dataclasses import replace
from pathlib import Path

from pfsm.evaluation import Interval
from pfsm_experiments import read_experiment
from pfsm_experiments.data import MEAN
from pfsm_experiments.estimates import Column, Difference, Entry
from pfsm_experiments.report.tables import latex, markdown_table, result_tables, short, table_labels
from tests.experiments.experiment_cases import table, write_experiment

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


def test_latex(tmp_path: Path) -> None:
    experiment = read_experiment(write_experiment(tmp_path, table(title="50% of_it")))
    text = latex(experiment, result_tables(ENTRIES))
    assert (
        r"R\&D\_1 \textbar{} 50\% & \textbf{.500} & \textbf{.750}$^{\blacktriangle}$ & -.010$^{\blacktriangledown}$ \\"
        in text
    )
    assert r" & cs & de & mean \\" in text
    assert r"none & -- & -- & -- \\" in text
    assert r"\caption{Pearson's r, a\_set. Means are unweighted" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    assert r"\label{tab:pearson-a-set}" in text
    assert text.count("{") == text.count("}")
    # No command begins by accident: every special sign outside commands is escaped.
    body = text.split("\n", 2)[2]
    assert not re.search(r"(?<!\\)[#%_]", re.sub(r"\\begin\{tabular\}\{[lr]+\}|\$[^$]*\$", "", body))
    twice = latex(experiment, 2 * result_tables(ENTRIES))
    assert re.findall(r"\\label\{(.+)\}", twice) == ["tab:pearson-a-set", "tab:pearson-a-set-2"]
    assert table_labels(["a 2", "a", "a", "τ"]) == ["tab:a-2", "tab:a", "tab:a-3", "tab:table"]
    spearman = result_tables([replace(one, statistic="spearman") for one in ENTRIES])
    assert r"Spearman's $\rho$, a\_set" in latex(experiment, spearman)
    # What stands after the end of a row must not be read as an argument of that end.
    for name, cell in (
        ("[a] b", "{}[a] b"),
        ("a\\b~^", r"a\textbackslash{}b\textasciitilde{}\textasciicircum{}"),
    ):
        lines = latex(experiment, result_tables([entry(name, CS, 0.5)])).splitlines()
        assert f"{cell} & \\textbf{{.500}} \\\\" in lines
