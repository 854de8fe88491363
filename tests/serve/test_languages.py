"""Text of another language than the model's: answers say so."""

import json

import pytest

from tests.serve.running import LINES, Running, streamed

GERMAN = ["Das ist nicht der Weg, den wir gehen.", "Der Hund und die Katze"]
ENGLISH = ["This is not the way that we go.", "The dog and the cat"]
WARNING = (
    "is for English, which the text does not look like; choose another model (any is for every language)"
)


def asked(lines: list[str], path: str, **more: object) -> tuple[str, dict[str, object]]:
    if path == "/v1/compare":
        systems = [{"name": name, "hypotheses": lines} for name in "ab"]
        return path, {"references": lines, "systems": systems, **more}
    return path, {"references": lines, "hypotheses": lines, **more}


@pytest.mark.parametrize("path", ["/v1/score", "/v1/compare", "/v1/explain"])
def test_answers_warn_of_another_language(server: Running, path: str) -> None:
    (warning,) = server.post(*asked(GERMAN, path)).document["warnings"]
    assert warning.endswith(WARNING)
    assert "warnings" not in server.post(*asked(GERMAN, path, model="any")).document
    assert "warnings" not in server.post(*asked(GERMAN, path, force=True)).document
    assert "warnings" not in server.post(*asked(ENGLISH, path)).document


def test_a_name_is_no_other_language(server: Running) -> None:
    assert "warnings" not in server.post(*asked(["Angela Merkel visited São Paulo."], "/v1/score")).document
    assert "warnings" in server.post(*asked(GERMAN[1:], "/v1/score")).document


@pytest.mark.parametrize(("query", "warned"), [("", True), ("?model=any", False), ("?force=true", False)])
def test_a_stream_warns_at_its_end(server: Running, query: str, warned: bool) -> None:
    body = streamed([{"hypothesis": line, "reference": line} for line in GERMAN])
    reply = server.ask("POST", f"/v1/score{query}", body, LINES)
    end = json.loads(reply.body.splitlines()[-1])
    assert end["end"]
    assert [one.endswith(WARNING) for one in end.get("warnings", [])] == [True] * warned
