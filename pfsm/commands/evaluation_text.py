"""The documents of ``pfsm evaluate`` as tables for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from pfsm.runtime.color import significance

NO_INTERVAL = "–"
_WHOLE = dict.fromkeys(("segments", "documents", "systems"), "each with all its translations")
_SYSTEM_SCORES = {
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
    print(_title(document, long=long))
    for kind in KINDS:
        if kind in document:
            result = document[kind]
            _print_estimates(result, document["by"], headings[kind])
            if "tau" in result:
                print(f"Kendall tau as in {result['tau'].upper()}: metric ties "
                      f"{'count as discordant' if result['tau'] == 'wmt12' else 'are left out'}")  # fmt: skip
            if "system_scores" in result:
                print(f"People's scores of systems: {_SYSTEM_SCORES[result['system_scores']]}")
            print(
                f"Intervals: {result['resampled']} are resampled, {_WHOLE.get(result['resampled'], 'one by one')}"
            )
            _print_notes(result)
    if "versus" in document:
        _print_versus(document, headings, long=long)
    print(f"[95% intervals: {document['resamples']} bootstrap resamples, seed {document['seed']}]")


def _print_versus(
    document: Mapping[str, Any], headings: Mapping[str, Mapping[str, str]], *, long: bool
) -> None:
    versus = document["versus"]
    print()
    print(f"versus {_title(versus, long=long)}")
    for kind in KINDS:
        if kind in versus:
            _print_differences(versus[kind], document["by"], headings[kind])
            print(f"p: {versus['test']} of {versus[kind]['unit']}, two-sided")


def _print_notes(result: Mapping[str, Any]) -> None:
    rows = [*result["groups"], result["mean"]]
    estimates = [one for row in rows for one in row.values() if isinstance(one, Mapping)]
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


def _print_estimates(result: Mapping[str, Any], by: str | None, headings: Mapping[str, str]) -> None:
    statistics = list(result["mean"])
    rows = [(entry["group"], f"{entry['n']}", entry) for entry in result["groups"]]
    if len(rows) > 1:
        rows.append(("mean", "", result["mean"]))
    width = max(len(name) for name in [by or "", *(row[0] for row in rows)])
    print()
    print(
        f"{by or '':{width}}  {'n':>7}  " + "  ".join(f"{headings[name]:<23}" for name in statistics).rstrip()
    )
    for name, n, entry in rows:
        print(
            f"{name:{width}}  {n:>7}  " + "  ".join(f"{_cell(entry[key]):<23}" for key in statistics).rstrip()
        )


def _cell(estimate: Mapping[str, Any]) -> str:
    if estimate["value"] is None:
        return "undefined"
    low, high = estimate["interval"]
    interval = f" {NO_INTERVAL}" if low is None else f" [{low:+.3f}, {high:+.3f}]"
    return f"{estimate['value']:+.3f}{interval}"


def _print_differences(result: Mapping[str, Any], by: str | None, headings: Mapping[str, str]) -> None:
    for statistic, heading in headings.items():
        if statistic in result:
            _print_difference_table(result[statistic], by, heading)


def _print_difference_table(entry: Mapping[str, Any], by: str | None, heading: str) -> None:
    rows = [(group["group"], group) for group in entry["groups"]]
    if len(rows) > 1:
        rows += [(name, entry[name]) for name in ("mean", "pooled") if name in entry]
    width = max(len(name) for name in [by or "", *(row[0] for row in rows)])
    williams = any("williams_p" in row for _, row in rows)
    print()
    print(heading)
    columns = ["metric", "versus", "difference", "", "p"] + (["Williams p"] if williams else [])
    print(f"{by or '':{width}}  {'n':>7}  " + _difference_line(columns))
    for name, row in rows:
        low, high = row["interval"]
        cells = [
            _signed(row["value"]),
            _signed(row["versus"]),
            _signed(row["difference"]),
            NO_INTERVAL if low is None else f"[{low:+.3f}, {high:+.3f}]",
            _p_value(row["p_value"]),
        ]
        if "williams_p" in row:
            cells.append(_p_value(row["williams_p"]))
        line = f"{name:{width}}  {row['n']:>7}  " + _difference_line(cells)
        print(significance(line, row["p_value"], row["difference"] or 0.0))


def _difference_line(cells: Sequence[str]) -> str:
    widths = (9, 9, 10, 16, 9, 10)
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=False)).rstrip()


def _signed(value: float | None) -> str:
    return "undefined" if value is None else f"{value:+.3f}"


def _p_value(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
