"""The documents of ``pfsm evaluate`` as tables for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from pfsm.commands.output import NO_INTERVAL, bracketed
from pfsm.runtime.terminal import significance

_WHOLE = dict.fromkeys(("segments", "documents", "systems"), "each with all its translations")
_SYSTEM_SCORES = {
    "least-squares": "least-squares fit of system + segment",
    "means": "means of their translations",
    "won": "the share of comparisons won, ties left out (WMT12)",
    "expected-wins": "expected wins, the mean of that share over opponents (WMT13)",
}
KINDS = ("correlation", "preference", "ranking", "likeness")


def print_document(
    document: Mapping[str, Any], headings: Mapping[str, Mapping[str, str]], *, long: bool = False
) -> None:
    """All tables, below the name of the metric.

    Args:
        document: What ``--format json`` prints.
        headings: What tables call the statistics, by kind of data and key.
        long: Whether metrics are called by their long signatures.
    """
    by = document["by"] or ""
    print(_title(document, long=long))
    for kind in KINDS:
        if kind in document:
            result = document[kind]
            _print_estimates(result, by, headings[kind])
            _print_notes(result)
    if "versus" in document:
        versus = document["versus"]
        print(f"\nversus {_title(versus, long=long)}")
        for kind in filter(versus.__contains__, KINDS):
            for statistic, heading in headings[kind].items():
                if statistic in versus[kind]:
                    _print_differences(versus[kind][statistic], by, heading)
            print(f"p: {versus['test']} of {versus[kind]['unit']}, two-sided")
    print(f"[95% intervals: {document['resamples']} bootstrap resamples, seed {document['seed']}]")


def _print_notes(result: Mapping[str, Any]) -> None:
    if "tau" in result:
        ties = "count as discordant" if result["tau"] == "wmt12" else "are left out"
        print(f"Kendall tau as in {result['tau'].upper()}: metric ties {ties}")
    if "system_scores" in result:
        print(f"People's scores of systems: {_SYSTEM_SCORES[result['system_scores']]}")
    if "significant" in result["mean"]:
        print(_significant(result))
    whole = _WHOLE.get(result["resampled"], "one by one")
    print(f"Intervals: {result['resampled']} are resampled, {whole}")
    estimates = [
        one
        for row in (*result["groups"], result["mean"])
        for key, one in row.items()
        if isinstance(one, Mapping) and key not in _YARDSTICKS
    ]
    if any(one.get("value") is not None and one["interval"][0] is None for one in estimates):
        print(
            f"{NO_INTERVAL}: no interval, because there is too little to resample or resamples never differ"
        )
    few = [row["group"] for row in result["groups"] if row.get("systems") == 2]
    if few:
        where = "" if len(result["groups"]) == 1 else f" in {', '.join(few)}"
        print(f"Two systems{where}: any correlation of two is +1 or -1, which says next to nothing")


def _title(document: Mapping[str, Any], *, long: bool) -> str:
    """A metric by its short or its long signature, as `pfsm score` calls it; scores without one by their name."""
    signature = document["signature"]
    if not signature:
        return f"{document['name']}"
    return f"{document['name']}|{signature}" if long else f"{document['short_signature']}"


def _print_estimates(result: Mapping[str, Any], by: str, headings: Mapping[str, str]) -> None:
    statistics = list(result["mean"])
    rows = [(entry["group"], f"{entry['n']}", entry) for entry in result["groups"]]
    if len(rows) > 1:
        rows.append(("mean", "", result["mean"]))
    if "pooled" in result:
        drawn = {
            key: {**one, "interval": one["interval_over_groups"]} for key, one in result["pooled"].items()
        }
        rows += [("pooled", "", result["pooled"]), (f"{by or 'groups'} drawn too", "", drawn)]
    width = max(len(name) for name in [by, *(row[0] for row in rows)])
    cells = [
        [headings[key], *(_cell(entry[key], key) if key in entry else "" for *_, entry in rows)]
        for key in statistics
    ]
    widths = [
        max(23 if key not in _YARDSTICKS else 0, *map(len, column))
        for key, column in zip(statistics, cells, strict=True)
    ]
    print()
    for (name, n), *line in zip([(by, "n"), *(row[:2] for row in rows)], *cells, strict=True):
        shown = "  ".join(f"{cell:<{size}}" for cell, size in zip(line, widths, strict=True))
        print(f"{name:{width}}  {n:>7}  {shown}".rstrip())


_YARDSTICKS = ("ceiling",)
"""Statistics without an interval by their nature."""


def _significant(result: Mapping[str, Any]) -> str:
    numbers = [int(row["significant"].get("pairs", 0)) for row in result["groups"]]
    of = " + ".join(map(str, numbers)) + (f" = {sum(numbers)}" if len(numbers) > 1 else "")
    return (
        f"Significant pairs: {of}, by a permutation test of people's scores, p < .05, two-sided; "
        f"swapped are {result['resampled']}"
    )


def _cell(estimate: Mapping[str, Any], key: str) -> str:
    if estimate["value"] is None:
        return "undefined"
    interval = "" if key in _YARDSTICKS else f" {bracketed(estimate['interval'], '+.3f')}"
    return f"{estimate['value']:+.3f}{interval}"


def _print_differences(entry: Mapping[str, Any], by: str, heading: str) -> None:
    rows = [(group["group"], group) for group in entry["groups"]]
    if len(rows) > 1:
        rows += [(name, entry[name]) for name in ("mean", "pooled") if name in entry]
    width = max(len(name) for name in [by, *(row[0] for row in rows)])
    williams = any("williams_p" in row for _, row in rows)
    print(f"\n{heading}")
    columns = ["metric", "versus", "difference", "", "p"] + (["Williams p"] if williams else [])
    print(f"{by:{width}}  {'n':>7}  {_difference_line(columns)}")
    for name, row in rows:
        cells = [
            *(_number(row[key], "+.3f") for key in ("value", "versus", "difference")),
            bracketed(row["interval"], "+.3f"),
            *(_number(row[key], ".4f") for key in ("p_value", "williams_p") if key in row),
        ]
        line = f"{name:{width}}  {row['n']:>7}  {_difference_line(cells)}"
        print(significance(line, row["p_value"], row["difference"] or 0.0))


def _difference_line(cells: Sequence[str]) -> str:
    widths = (9, 9, 10, 16, 9, 10)
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=False)).rstrip()


def _number(value: float | None, form: str) -> str:
    return "undefined" if value is None else f"{value:{form}}"
