"""YAML: merge keys make no duplicate keys; keys that are written twice are refused."""

from pathlib import Path

import pytest
import yaml

from pfsm.errors import PfsmError
from pfsm_training.yaml_file import read_yaml_mapping


def written(folder: Path, text: str) -> Path:
    path = folder / "m.yaml"
    path.write_text(text, encoding="utf-8")
    return path


MERGED = """\
base: &base {a: 1, b: 1}
wrapper:
  mid: &mid {<<: *base, a: 2}
top: {<<: *mid}
far: {<<: [*mid, *base], b: 3, "<<": text}
list: [{<<: *mid, a: 4}, *mid, *mid]
"""


def test_merged_mappings_are_what_yaml_makes_of_them(tmp_path: Path) -> None:
    found = read_yaml_mapping(written(tmp_path, MERGED), ("base",))
    assert found == yaml.safe_load(MERGED)
    assert found["top"] == {"a": 2, "b": 1}
    assert found["far"] == {"a": 2, "b": 3, "<<": "text"}


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("a: {x: 1}\nb:\n  x: 1\n  y: 2\n  x: 1\n", 5, "x"),
        ("a: [[{x: 1,\n x: 2}]]\n", 2, "x"),
        ("a: &a {x: 1}\nb: &b {y: 1}\nc:\n  <<: *a\n  <<: *b\n", 5, "<<"),
        ("a: &a {x: 1}\nb: {<<: *a,\n  <<: *a}\n", 3, "<<"),
        ("a: &a {x: 1}\nb: {<<: *a, x: 2,\n\n x: 3}\n", 4, "x"),
    ],
)
def test_duplicate_keys_are_refused(tmp_path: Path, text: str, line: int, key: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(PfsmError) as caught:
        read_yaml_mapping(path, ("a",))
    assert str(caught.value) == f"{path}:{line}: duplicate key '{key}'; leave one of them out"


def test_a_mapping_within_itself_is_refused(tmp_path: Path) -> None:
    """Written out, it has no end."""
    path = written(tmp_path, "a: &a\n  x: 1\n  self: *a\n")
    with pytest.raises(PfsmError, match=r"an alias \(\*NAME\) stands within what it names"):
        read_yaml_mapping(path, ("a",))
