"""The store of vectors on disk: it may lose vectors, but never return wrong ones or cause an error."""

from pathlib import Path

from pfsm.embeddings.network import VectorStore


def test_contents_come_back_to_another_store(resources: Path) -> None:
    keys = [bytes([number % 256, number // 256]) for number in range(1300)]
    VectorStore("a").put({key: key * 3 for key in keys})
    assert VectorStore("a").get([*keys, b"none"]) == {key: key * 3 for key in keys}
    assert VectorStore("b").get(keys) == {}
    assert [path.name for path in (resources / "vectors").iterdir()] == ["a.sqlite"]


def test_the_oldest_half_goes_when_it_grows_too_large() -> None:
    store = VectorStore("a", largest=100_000)
    store.put({bytes([number]): bytes(1000) for number in range(50)})
    assert len(store.get([bytes([number]) for number in range(50)])) == 50
    store.put({bytes([number]): bytes(1000) for number in range(50, 150)})
    left = store.get([bytes([number]) for number in range(150)])
    assert sorted(left) == [bytes([number]) for number in range(75, 150)]
    # Room that became free is used again: what comes next stays.
    store.put({b"new": bytes(1000)})
    assert b"new" in store.get([b"new"])


def test_a_damaged_file_and_a_folder_that_cannot_be(resources: Path) -> None:
    store = VectorStore("a")
    store.put({b"k": b"v"})
    store.path.write_bytes(b"no database, but long enough to be taken for one" * 100)
    assert store.get([b"k"]) == {}
    store.put({b"k": b"v"})
    other = VectorStore("b")
    (resources / "vectors" / "b.sqlite").mkdir()
    assert other.get([b"k"]) == {}
    other.put({b"k": b"v"})
