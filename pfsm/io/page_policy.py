"""The content security policy of the HTML pages that pfsm writes: their own style and script run, and nothing else.

Whatever text a page shows, a browser that follows the policy runs no script of it, loads nothing, and sends nothing.
"""

import base64
import hashlib


def page_policy(style: str, script: str) -> str:
    """Content of the ``Content-Security-Policy`` element of a page with one inline style and one inline script.

    The same style and script give the same text. Pictures may stand in the page itself (``data:``).
    """
    return (
        f"default-src 'none'; img-src data:; style-src {digest(style)}; script-src {digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def digest(source: str) -> str:
    """The source expression of an inline style or script: the hash of its text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"
