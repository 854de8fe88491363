"""The page of a training: well formed, self-contained, escaped, the same bytes whatever threads and order of rows."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

from pfsm.data import Judgments
from pfsm_training.fit.training import Training
from pfsm_training.report import write_report
from tests.training.report.report_cases import kept
from tests.training.small_data import invented

ODD = '<b onclick="x">odd</b> & {{style}} \u202e "quoted" </script>'
VOID = {"meta", "link", "wbr", "path", "circle", "rect"}


class Reader(HTMLParser):
    """Checks nesting, and keeps attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.elements.append((tag, named))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"script", "style"}:
            self.words.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def page_of(training: Training, folder: Path) -> str:
    write_report(training, folder / "page.html", ())
    return (folder / "page.html").read_bytes().decode("utf-8")


def odd(judgments: Judgments) -> Judgments:
    """The same judgments, and the system's name is markup; so is a word of every third sentence."""
    hypotheses = [f"{line} {ODD}" if at % 3 == 0 else line for at, line in enumerate(judgments.hypotheses)]
    systems = tuple((ODD, "plain")[at % 2] for at in range(len(judgments)))
    return replace(judgments, hypotheses=tuple(hypotheses), columns={**judgments.columns, "system": systems})


def test_it_loads_nothing_and_runs_only_its_own_script(tmp_path: Path) -> None:
    text = page_of(kept(odd(invented(3, 24))), tmp_path)
    page = Reader(text)
    policy = next(
        one["content"] for one in page.of("meta") if one.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    (style,), (script,) = (
        re.findall(r"<style>(.*?)</style>", text, re.DOTALL),
        re.findall(r"<script>(.*?)</script>", text, re.DOTALL),
    )
    for kind, source in (("style", style), ("script", script)):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert set(re.findall(r"\w+://[^\s\"'`]+", text)) == {"http://www.w3.org/2000/svg"}  # a name, not a place
    for tag, attributes in page.elements:
        assert not any(name == "style" or name.startswith("on") for name in attributes), tag
        assert attributes.get("src") is None
    assert page.of("b") == []
    assert ODD in page.text
    pictures = page.of("svg")
    assert len(pictures) >= 4
    assert all(one["role"] == "img" and len(str(one["aria-label"])) > 15 for one in pictures)
    frames = [one for one in page.of("div") if one.get("class") == "scroll"]
    assert all(one["tabindex"] == "0" and one["role"] == "region" and one["aria-label"] for one in frames)


def test_the_same_bytes_whatever_the_threads_and_the_order(tmp_path: Path) -> None:
    judgments = odd(invented(3, 22))
    shuffled = judgments.select(np.random.default_rng(1).permutation(len(judgments)))
    first = page_of(kept(judgments), tmp_path)
    assert page_of(kept(shuffled, threads=3), tmp_path) == first
    assert str(tmp_path) not in first
