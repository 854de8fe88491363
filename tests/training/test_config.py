"""The YAML file of ``pfsm train --config``: its keys and values, merge keys, and one-line errors for invalid ones."""

from pathlib import Path

import pytest
import yaml

from pfsm.errors import PfsmError
from pfsm.model.settings import Settings
from pfsm_training import TrainingConfig, read_config
from pfsm_training.yaml_file import read_yaml_mapping


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "train.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal(folder: Path, text: str | bytes) -> str:
    """The message without the folder; checked to be one printable line."""
    path = written(folder, text)
    with pytest.raises(PfsmError) as caught:
        read_config(path)
    message = str(caught.value)
    assert message.isprintable()
    assert message.startswith(str(path))
    return message.removeprefix(f"{folder}/")


def test_everything_can_be_set(tmp_path: Path) -> None:
    text = """
        # a comment
        language: de
        tokeniser: plain
        stemmer: none
        lowercase: false
        matchers: [word, punct]
        matching: overlapping
        max_block: {word: 2}
        max_jump: 0
        features: [chrf]
        form: absolute
        objective: huber
        solver: lbfgs
        lambda: 0.5
        mixture: 0.25
        edit_cost: 0
        self_match: 0
        encoder: false
        minimal_pairs: false
        weights: raters
        start: matches
        lambda_rule: one_standard_error
    """
    config = read_config(written(tmp_path, text))
    blocks = {"word": 2, "punct": 1}
    settings = Settings(
        "de", "plain", "none", False, ("word", "punct"), "overlapping", blocks, 0, features={"chrf": None}
    )
    assert config.settings == settings
    assert (config.penalty, config.solver, config.objective) == (0.5, "lbfgs", "huber")
    assert config.mixture == 0.25
    assert config.weights == "raters"
    assert config.own == {*settings.to_dict(), "form"}


def test_an_empty_file_means_the_defaults(tmp_path: Path) -> None:
    settings = Settings(form="relative", text=2, normalisation="nfc")
    assert read_config(written(tmp_path, b"\xef\xbb\xbf")) == TrainingConfig(settings)


def test_lambda(tmp_path: Path) -> None:
    # 1e-3 is text to YAML 1.1.
    values = {"5": 5.0, "1.5e+1": 15.0, "1e-3": 0.001, '"0.5"': 0.5, "auto": "auto"}
    for value, penalty in (*values.items(), ("[5, 0.5, 1e-3]", (0.001, 0.5, 5.0))):
        config = read_config(written(tmp_path, f"lambda: {value}\n"))
        assert (config.penalty, type(config.penalty)) == (penalty, type(penalty))
        assert not config.own


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("langauge: en", "train.yaml: unknown key 'langauge'; did you mean language"),
        ("language: no", "train.yaml: language is False, it must be a name in quotes"),
        ("lowercase: 1", "train.yaml: lowercase is 1, it must be true or false"),
        ("matchers: word", "train.yaml: matchers is 'word', it must be a list of names"),
        ("lambda: .nan", "train.yaml: lambda is nan"),
        ("lambda: yes", "train.yaml: lambda is True"),
        ("lambda: [5, -1]", "train.yaml: lambda 2 is -1"),
        ("solver: adam", "train.yaml: solver is 'adam', it must be one of gauss-newton, lbfgs"),
        ("mixture: 1", "train.yaml: mixture is 1, it must be a number from 0 to below 1, or auto"),
        ("- language: en\n- lambda: 5", "train.yaml: must hold lines `key: value`"),
        ("language: en\nlambda: 5: 6", "train.yaml:2: not valid YAML"),
        ("lambda: !!python/name:os.system x", "train.yaml:1: not valid YAML"),
        # What PyYAML answers with other exceptions than its own.
        ("lambda: 2020-13-45", "train.yaml: not valid YAML"),
        ("[" * 5000, "train.yaml: not valid YAML"),
        (b"lambda: 5\n# caf\xe9", "train.yaml:2: not UTF-8"),
    ],
)
def test_invalid_values_are_refused_in_one_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert refusal(tmp_path, text).startswith(message)


def test_invalid_options_are_refused_in_one_line(tmp_path: Path) -> None:
    for text, message in (
        ("minimal_pairs: {kind: all}", "minimal_pairs: unknown option 'kind'; known are kinds, except, of"),
        ("minimal_pairs: {weight: -1}", "minimal_pairs: weight is -1, it must be a number from 0 to 1000"),
        ("minimal_pairs: {of: source}", "minimal_pairs: of 1 is 'source', it must be one of reference, hyp"),
        ("minimal_pairs: {margins: {none: 1}}", "minimal_pairs: margins: unknown option 'none'; known are"),
        ("minimal_pairs: {file: ['']}", "minimal_pairs: file 1 is '', it must be a name"),
        ("encoder: {tune: all}", "encoder: tune is 'all', it must be one of head"),
        ("encoder: {tune: head, rank: 3}", "encoder: unknown option 'rank'; known are tune, source, layers"),
        ("encoder: {tune: head, minimal_pairs: 1}", "encoder: minimal_pairs needs the option minimal_pairs"),
        ("weights: true", "weights is True, it must be false or the name of a column"),
        ("{solver: lbfgs, self_match: 0.5}", "self_match needs solver: gauss-newton"),
    ):
        assert refusal(tmp_path, text).startswith(f"train.yaml: {message}")


def test_every_config_of_the_repository_can_be_read() -> None:
    paths = [*(Path(__file__).parents[2] / "configs" / "models").glob("*.yaml")]
    assert paths
    assert all("language" in read_config(path).own for path in paths)


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


def test_duplicate_keys_and_a_mapping_within_itself_are_refused(tmp_path: Path) -> None:
    for text, line, key in (
        ("a: {x: 1}\nb:\n  x: 1\n  y: 2\n  x: 1\n", 5, "x"),
        ("a: [[{x: 1,\n x: 2}]]\n", 2, "x"),
        ("a: &a {x: 1}\nb: {<<: *a,\n  <<: *a}\n", 3, "<<"),
    ):
        path = written(tmp_path, text)
        with pytest.raises(PfsmError) as caught:
            read_yaml_mapping(path, ("a",))
        assert str(caught.value) == f"{path}:{line}: duplicate key '{key}'; leave one of them out"
    # Written out, it has no end.
    path = written(tmp_path, "a: &a\n  x: 1\n  self: *a\n")
    with pytest.raises(PfsmError, match=r"an alias \(\*NAME\) stands within what it names"):
        read_yaml_mapping(path, ("a",))
