"""Parts of drawings in SVG."""

from html import escape

INK, MATCH, INSERT, DELETE, JUMP, FAINT = "#1f2328", "#1a7f37", "#0969da", "#cf222e", "#8250df", "#d0d7de"
STYLE = "font-family:system-ui,sans-serif;font-size:14px"


def svg(width: int, height: int, title: str, parts: list[str]) -> str:
    """A drawing on white ground, with a title for those who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" style="{STYLE}">\n<title>{escape(title)}</title>\n'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker></defs>\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def text(x: float, y: float, content: str, colour: str = INK, anchor: str = "middle", more: str = "") -> str:
    """A line of text."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}" {more}>{escape(content)}</text>'


def line(
    start: tuple[float, float], end: tuple[float, float], colour: str, width: float = 1, more: str = ""
) -> str:
    """A straight line."""
    return (
        f'<line x1="{start[0]:g}" y1="{start[1]:g}" x2="{end[0]:g}" y2="{end[1]:g}" stroke="{colour}"'
        f' stroke-width="{width:g}" {more}/>'
    )
