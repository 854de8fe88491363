"""The frame of the HTML pages that pfsm writes: one file each, which needs no network.

Their content security policy admits their own style and script, and nothing else. Whatever text a page shows, a browser
that follows the policy runs no script of it, loads nothing, and sends nothing.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping

_SLOT = re.compile(r"\{\{([a-z]+)\}\}")
# What JSON may hold but a page should not: half characters, controls, marks of direction, ends of lines.
_UNSEEN = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufff0-\uffff]")
_FRAME = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{policy}}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="pfsm">
<link rel="icon" href="data:,">
<title>{{title}}</title>
<style>{{style}}</style>
</head>
<body>
{{body}}{{data}}<script>{{script}}</script>
</body>
</html>
"""


def html_page(title: str, style: str, script: str, body: str, data: str | None = None) -> str:
    """A page.

    Args:
        title: Its title, escaped.
        style: Its one style sheet.
        script: Its one script.
        body: What it shows, escaped; ends with a line end.
        data: JSON for the script, safe in a script element; None: the script needs none.
    """
    json = "" if data is None else f'<script id="data" type="application/json">{data}</script>\n'
    # Its own style and script, and pictures that stand in the page itself.
    policy = (
        f"default-src 'none'; img-src data:; style-src {digest(style)}; script-src {digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    values = {"title": title, "policy": policy, "style": style, "body": body, "data": json, "script": script}
    return filled(_FRAME, values)


def joined(scripts: Iterable[str]) -> str:
    """Several scripts as one, whose names no other script sees."""
    script = "\n".join(scripts)
    return f'(() => {{\n"use strict";\n{script}}})();\n'


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its slots filled, in one pass, so that what looks like a slot in a value stays as it is."""
    return _SLOT.sub(lambda slot: values[slot[1]], template)


def embedded(data: object, *, ascii_only: bool = True) -> str:
    """JSON that is safe in a script element: without anything that HTML could take for markup.

    Args:
        data: What `json.dumps` takes.
        ascii_only: Whether other letters are escaped, six characters each; without it they stand as they are, but for
            those that cannot be seen or encoded.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=ascii_only)
    if not ascii_only:
        text = _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def digest(source: str) -> str:
    """The source expression of an inline style or script: the hash of its text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"
