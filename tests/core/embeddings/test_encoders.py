"""Sources of vectors, and the messages for missing ones."""

from pathlib import Path

import pytest

from pfsm.embeddings.encoders import check_layer, check_source, label, load_vectors, pinned, shipped_encoders
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.named_resources import DISTRIBUTIONS
from tests.core.embeddings.networks import write_network, write_vectors

VECTORS = {"a": [1.0, 0.0], "b": [0.6, 0.8]}


def test_a_file_by_its_path_and_by_its_name_in_the_users_folder(tmp_path: Path, resources: Path) -> None:
    path = write_vectors(tmp_path / "my vectors.txt", VECTORS)
    checksum = load_vectors(str(path)).checksum[:8]
    assert pinned(str(path)) == f"my-vectors.txt@{checksum}"
    assert label(str(path)) == f"my_vectors.txt@{checksum}"
    resources.mkdir()
    path.rename(resources / "vectors.txt")
    assert load_vectors(f"vectors.txt@{checksum}").checksum[:8] == checksum


def test_other_vectors_under_the_same_name_are_refused(tmp_path: Path) -> None:
    path = write_vectors(tmp_path / "v.txt", VECTORS)
    with pytest.raises(PfsmError, match="have no layers"):
        load_vectors(str(path), 1)
    source = pinned(str(path))
    write_vectors(path, {**VECTORS, "c": [0.0, 1.0]})
    with pytest.raises(PfsmError, match=rf"v.txt: has checksum \w{{8}}, the model needs {source[-8:]}"):
        load_vectors(source)
    assert pinned(str(path)) != source


def test_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "tiny_network"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    write_network(package / "model")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    source = "package:tiny-network"
    assert label(source) == f"tiny-network@{load_vectors(source).checksum[:8]}"
    assert load_vectors(source).checksum == load_vectors(str(package / "model")).checksum
    assert load_vectors(source, 1) is not load_vectors(source)
    assert load_vectors(source) is load_vectors(source)


def test_an_encoder_that_is_a_distribution_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DISTRIBUTIONS, "huge", "./encoders/huge")
    source = check_source("shipped:huge", "here")
    with pytest.raises(
        NotInstalledError, match=r"^shipped:huge: .* not installed; pip install \./encoders/huge$"
    ):
        load_vectors(source)
    assert "huge" not in shipped_encoders()
    folder = tmp_path / "site" / "pfsm_encoder_huge"
    folder.mkdir(parents=True)
    write_network(folder)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert "huge" in shipped_encoders()
    assert label(source) == f"huge@{load_vectors(str(folder)).checksum[:8]}"


def test_a_folder_of_the_working_folder_is_no_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside_the_data").mkdir()
    write_network(tmp_path / "beside_the_data" / "model")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PfsmError, match="the vectors of the package beside-the-data are not installed"):
        load_vectors("package:beside-the-data")


def test_what_is_no_source_and_no_layer() -> None:
    for source in ("", 3, None, "package:", "package:../x", "package:a b", "a\0b"):
        with pytest.raises(PfsmError, match="here: source"):
            check_source(source, "here: source")
    for layer in (-1, 1.0, "2", True):
        with pytest.raises(PfsmError, match="here: layer is"):
            check_layer(layer, "here: layer")
