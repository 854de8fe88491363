"""Pages that messages cite, mistyped names, and keys in the wrong place."""

import re
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.registry import MATCHERS
from pfsm.model.settings import KEYS as SETTINGS
from pfsm.model.settings import settings_from_dict
from pfsm.runtime import yaml_keys as places
from tests.command_runs import Cli, Write

ROOT = Path(__file__).resolve().parents[2]


def test_messages_cite_pages_that_exist() -> None:
    cited = {
        page
        for folder in ("pfsm", "training")
        for path in (ROOT / folder).rglob("*.py")
        for page in re.findall(r"`(docs/[a-z/-]+\.md)`", path.read_text(encoding="utf-8"))
    }
    assert len(cited) > 3
    assert all((ROOT / page).is_file() for page in cited)


def test_mistyped_names(cli: Cli, write: Write) -> None:
    outcome = cli("data", "info", "--formt", "json", "d.tsv")
    assert outcome.status == 2
    assert outcome.err.startswith("usage: pfsm data info ")
    assert "\npfsm data info: error: unknown option --formt; did you mean --format?" in outcome.err
    assert "did you mean score?" in cli("scoer").err
    write("r.txt", "a\n")
    assert "did you mean json?" in cli("score", "r.txt", "-f", "jsn").err


class TestPlaces:
    def test_the_lists_are_complete(self) -> None:
        assert places.SETTINGS == SETTINGS
        for name, keys in places.OPTIONS.items():
            for key in keys:
                with pytest.raises(PfsmError) as raised:
                    MATCHERS[name].check({key: object()}, "here")
                assert "unknown option" not in str(raised.value)

    @pytest.mark.parametrize(
        ("key", "place"),
        [
            ("folds", "at the top of an experiment's file"),
            ("score_column", "in a data set of an experiment, under `train:` or `test:`, or on the command line"),
            ("direction", "under `options: {para: …}`"),
            ("lambda", "at the top of a settings file (`pfsm train --config`), or under `train:`"),
        ],
    )  # fmt: skip
    def test_a_key_in_the_wrong_place(self, key: str, place: str) -> None:
        with pytest.raises(
            PfsmError, match=re.escape(f"c.yaml: unknown setting '{key}'; it belongs {place}")
        ):
            settings_from_dict({key: 1}, "c.yaml")
