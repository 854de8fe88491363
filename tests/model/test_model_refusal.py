"""Broken model files: everything they are refused for, in one line that names file, line and field."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.registry import MATCHERS, matcher_state
from pfsm.model.file import load_model
from tests.model_cases import document, without


def fault(path: Path) -> str:
    """The message without the file's name."""
    with pytest.raises(PfsmError) as caught:
        load_model(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text.removeprefix(str(path))


def refused(content: str | bytes, folder: Path) -> str:
    path = folder / "broken.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return fault(path)


def test_every_key_is_needed(tmp_path: Path) -> None:
    for key in ("name", "settings", "weights", "alpha", "scale", "training", "licence"):
        assert refused(json.dumps(without(key)), tmp_path) == f": the key {key!r} is missing"


def test_some_other_json(tmp_path: Path) -> None:
    for content in ("[]", "3", json.dumps(without("format"))):
        assert refused(content, tmp_path) == ": not a pfsm model file (there is no key 'format')"
    assert refused(json.dumps(document(format="pfsm-model-2")), tmp_path) == (
        ": format is 'pfsm-model-2', this version of pfsm reads 'pfsm-model-1'; retrain or convert it"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ":1: not valid JSON (Expecting value)"),
        (json.dumps(document(), indent=1).replace('"Insert"', "Insert"), ":9: not valid JSON"),
        (b'{"format":\n "\xff"}', ":2: not UTF-8 (byte 0xff at position 3); convert the file to UTF-8"),
        ("[" * 100_000, ": not a pfsm model file (nested too deeply)"),
        (
            json.dumps(document()).replace("0.25", "1" + "0" * 5000),
            ": not a pfsm model file (a number of thousands of digits)",
        ),
        (gzip.compress(b"{}" * 40, mtime=0)[:-9], ": the gzip data is truncated"),
    ],
)
def test_no_json(content: str | bytes, expected: str, tmp_path: Path) -> None:
    assert refused(content, tmp_path).startswith(expected)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"settings": []}, "settings is [], it must be an object, in braces"),
        ({"weights": {"Insert": math.nan}}, "weights['Insert'] is nan, it must be a number from -1e+100 to 1e+100"),
        ({"alpha": 1e308}, "alpha is 1e+308, it must be a number from -1e+100 to 1e+100"),
        ({"scale": {"sd": 0}}, "scale: sd is 0, it must be a number from 1e-100 to 1e+100"),
        ({"scale": {"std": 2}}, "scale: unknown key 'std'; known are mean, sd, note"),
        ({"training": {"data": {"a": 1}}}, "training: data is {'a': 1}, it must be a list of objects, in braces"),
        (
            {"settings": {"max_block": 0}},
            "settings: max_block is 0, it must be a whole number from 1 to 9",
        ),
    ],
)  # fmt: skip
def test_a_field_that_is_not_what_it_must_be(changes: dict[str, Any], expected: str, tmp_path: Path) -> None:
    assert refused(json.dumps(document(**changes)), tmp_path) == f": {expected}"


@pytest.mark.parametrize(
    "name", ["S_wrod", "Insert>S_word>Delete", "Ins\0ert", "", "Insert:name>Delete:verb"]
)
def test_a_weight_that_no_machine_has(name: str, tmp_path: Path) -> None:
    text = refused(json.dumps(document(weights={name: 1.0})), tmp_path)
    assert text == (
        f": weights names {name!r}, which no machine has; states are "
        f"{', '.join(sorted(['Delete', 'Insert', 'Jump', *filter(None, map(matcher_state, MATCHERS))]))}, "
        "transitions STATE>STATE, by word class STATE:CLASS"
    )
