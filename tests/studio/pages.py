"""Pages as a parser sees them, and that they are self-contained."""

import base64
import hashlib
import re
from html.parser import HTMLParser

_VOID = {"br", "circle", "hr", "input", "line", "link", "meta", "path", "rect", "wbr"}
_LOADING = {"iframe", "img", "object", "embed", "base"}


class Page(HTMLParser):
    """Every tag with its attributes, and the texts directly inside; tags have to be nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._texts: list[tuple[str, list[str]]] = []
        self._open: list[int] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(len(self._texts))
            self._texts.append((tag, []))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self._texts[self._open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            self._texts[self._open[-1]][1].append(data)

    def contents(self, tag: str) -> list[str]:
        """The texts inside of all elements of a name."""
        return ["".join(texts) for name, texts in self._texts if name == tag]

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        """Those of all elements of a name."""
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def shown(self) -> str:
        """All text but scripts and styles, with single spaces."""
        shown = [text for tag, texts in self._texts if tag not in {"script", "style"} for text in texts]
        return " ".join(" ".join(shown).split())


def assert_self_contained(page: Page) -> None:
    """Nothing comes from elsewhere, and the page's policy lets in its own style and script alone."""
    assert set(re.findall(r"\w+://[^\s\"'`]+", page.text)) == {
        "http://www.w3.org/2000/svg"
    }  # a name, not a place
    assert {tag for tag, _ in page.tags}.isdisjoint(_LOADING)
    for tag, attributes in page.tags:
        assert not any(name in {"style", "src"} or name.startswith("on") for name in attributes), tag
        assert (attributes.get("href") or "#").startswith(("#", "data:")), tag
    (style,) = page.contents("style")
    assert "url(" not in style
    assert "@import" not in style
    policy = next(one["content"] or "" for one in page.attributes("meta") if "http-equiv" in one)
    allowed = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert allowed["default-src"] == "'none'"
    assert "connect-src" not in allowed
    for name, source in (("style-src", style), ("script-src", page.contents("script")[-1])):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert allowed[name] == f"'sha256-{digest}'"
