"""What the workbench asks for: its page and files, and weights that change scores as files do."""

import json
import re
from pathlib import Path
from typing import Any

import pfsm
from tests.studio.serve.conftest import MODEL
from tests.studio.serve.running import Running

TEXTS = {"hypotheses": ["a red house", "the bird sings"], "references": ["a blue house", "a bird sang"]}


def test_the_page_and_its_policy(server: Running) -> None:
    answer = server.ask("GET", "/")
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    text = answer.body.decode()
    assert not re.search(r"\son[a-z]+=|<script>|<style>|https?://", text)
    for name in re.findall(r'"(/workbench/files/[^"]+)"', text):
        assert server.ask("GET", name).status == 200
    for name in ("/workbench/files/", "/workbench/files/..%2f..%2fmodels%2fen.json", "/workbench/files/x.js"):
        assert server.ask("GET", name).status == 404


def test_weights_change_scores_as_in_a_model_file(server: Running, tmp_path: Path) -> None:
    model = pfsm.load(MODEL).model
    for change in ({}, {"S_word": 1.25}, {name: value / 2 for name, value in model.weights.items()}):
        answer = server.post("/workbench/laboratory", {**TEXTS, "weights": change, "human": [1, 2]}).document
        saved = server.post("/workbench/saved", {"name": "mine", "weights": change}).document
        (tmp_path / "mine.json").write_text(json.dumps(saved), encoding="utf-8")
        metric = pfsm.load(tmp_path / "mine.json")
        assert answer["now"] == metric.score_pairs(TEXTS["hypotheses"], TEXTS["references"]).tolist()
        was = pfsm.load(MODEL).score_pairs(TEXTS["hypotheses"], TEXTS["references"])
        assert answer["was"] == was.tolist()
        assert saved["training"]["edited"]["from"] == MODEL
        assert "cross_validated" not in saved["training"]
    assert server.ask("GET", f"/workbench/models/{MODEL}/document").document["weights"] == dict(model.weights)
    assert server.ask("GET", "/workbench/models/en").document["heads"][0].endswith(".safetensors")


LABORATORY: list[tuple[dict[str, Any], str]] = [
    ({"weights": []}, "/weights"),
    ({"weights": {"S_word": "1"}}, "/weights/S_word"),
    ({"weights": {"S_word": 1e300}}, "/weights/S_word"),
    ({"weights": {"no such weight": 1}}, "/weights"),
    ({"human": [1]}, "/human"),
    ({"human": [1, None]}, "/human/1"),
]


def test_weights_that_cannot_be(server: Running) -> None:
    for more, field in LABORATORY:
        problem = server.post("/workbench/laboratory", {**TEXTS, **more}).problem
        assert (problem["status"], problem["field"]) == (422, field)
