"""Tables in HTML for notebooks: everything escaped, no scripts, no styles but alignment."""

import html
from collections.abc import Sequence


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table; the first column is text, the others are numbers and stand to the right.

    Args:
        head: Names of the columns; empty for no head.
        rows: Cells.
        caption: A line above it.
    """
    above = f"<caption>{text(caption)}</caption>" if caption else ""
    first = f"<thead>{_row(head, 'th')}</thead>" if head else ""
    body = "".join(_row(row, "td") for row in rows)
    return f"<table>{above}{first}<tbody>{body}</tbody></table>"


def text(value: str) -> str:
    """Escaped; a lone surrogate, which no encoding can hold, is replaced."""
    return html.escape(value.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _row(cells: Sequence[str], kind: str) -> str:
    sides = ["left", *["right"] * (len(cells) - 1)]
    marked = (
        f'<{kind} style="text-align:{side}">{text(cell)}</{kind}>'
        for side, cell in zip(sides, cells, strict=True)
    )
    return f"<tr>{''.join(marked)}</tr>"
