"""Who may ask: names of the server, origins, tokens, and the headers that browsers mind."""

from pathlib import Path

import pytest

from tests.command_runs import Cli, Write
from tests.studio.serve.conftest import MODEL
from tests.studio.serve.running import Running

PAIR = {"hypotheses": ["a b"], "references": ["a c"]}
TOKEN = "a-token-of-32-characters-for-tests"


def test_names_of_the_server(server: Running) -> None:
    port = server.port
    for host in (f"127.0.0.1:{port}", f"LOCALHOST:{port}", f"127.0.0.2:{port}", f"[::1]:{port}"):
        assert server.ask("GET", "/v1/models", headers={"host": host}).status == 200, host
    others = (
        f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", f"10.0.0.1:{port}",
        f"localhost.evil.example:{port}", f"127.0.0.1.evil.example:{port}", "", f"user@localhost:{port}",
    )  # fmt: skip
    for host in others:
        assert server.ask("GET", "/v1/models", headers={"host": host}).problem["status"] == 421, host
        assert server.ask("GET", "/healthz", headers={"host": host}).status == 421


def test_pages_of_other_origins(server: Running) -> None:
    own = f"http://127.0.0.1:{server.port}"
    assert server.post("/v1/score", PAIR, {"origin": own, "sec-fetch-site": "same-origin"}).status == 200
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{server.port + 1}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        assert server.post("/v1/score", PAIR, headers).problem["status"] == 403
    preflight = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    for method in ("OPTIONS", "GET"):
        answer = server.ask(method, "/v1/score", headers=preflight)
        assert answer.status in {403, 405}
        assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_headers_of_answers(server: Running) -> None:
    for answer in (server.ask("GET", "/nothing"), server.post("/v1/score", PAIR)):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"


def test_a_token_and_names_given_on_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    path = tmp_path / "token"
    path.write_text(f"{TOKEN}\n", encoding="utf-8")
    names = ("--host", "0.0.0.0", "--allow-host", "pfsm.example")
    with Running("--model", MODEL, "--token-file", str(path), *names) as running:
        assert running.ask("GET", "/healthz").status == 200
        wrong = (
            "Bearer ",
            f"Bearer {TOKEN}x",
            f"Bearer {TOKEN[:-1]}",
            f"Basic {TOKEN}",
            f"Bearer {TOKEN[:-1]}\xe9",
        )
        for headers in ({}, *({"authorization": one} for one in wrong)):
            for path_ in ("/v1/models", "/metrics", "/openapi.json", "/nothing"):
                answer = running.ask("GET", path_, headers=headers)
                assert answer.problem["status"] == 401
                assert answer.headers["www-authenticate"].startswith("Bearer")
            assert running.post("/v1/score", PAIR, headers).status == 401
        token = {"authorization": f"Bearer {TOKEN}"}
        assert running.post("/v1/score", PAIR, token).status == 200
        for host in ("pfsm.example", "pfsm.example:443", f"10.1.2.3:{running.port}"):
            assert running.ask("GET", "/v1/models", headers={**token, "host": host}).status == 200
        answer = running.ask("GET", "/v1/models", headers={**token, "host": f"other.example:{running.port}"})
        assert answer.problem["status"] == 421
        assert TOKEN not in "".join(running.log)


def test_elsewhere_only_with_a_token(cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    monkeypatch.delenv("PFSM_SERVE_TOKEN", raising=False)
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        assert "--token-file" in cli("serve", "--host", host).fault
    assert "an address is needed" in cli("serve", "--host", "example.org").fault
    write("short", "abc\n")
    assert "16 or more" in cli("serve", "--token-file", "short").fault


def test_models_given_on_the_command_line(cli: Cli) -> None:
    pytest.importorskip("starlette")
    for given in ("x", "a/b=x.json", "=x.json", "x=", "en=x.json", "x=missing.json"):
        assert cli("serve", "--model", given).fault


def test_a_model_that_would_run_something_is_refused(cli: Cli, write: Write) -> None:
    pytest.importorskip("starlette")
    from tests.model_cases import saved

    settings = {"language": "en", "features": {"dpm(parser=command:sh x.sh)": None}}
    saved(Path(), "theirs.json", settings=settings)
    assert "model files name no paths and no programs" in cli("serve", "--model", "theirs=theirs.json").fault


def test_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pfsm_studio.serve.command.find_spec", lambda name: None)
    fault = cli("serve").fault
    assert "pip install 'pfsm-metric[serve]" in fault
