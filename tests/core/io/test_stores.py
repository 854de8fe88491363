"""Stores on disk: they may lose contents, but never return wrong ones or cause an error."""

import sqlite3
from contextlib import closing
from pathlib import Path

from pfsm.io.stores import Store


def test_contents_come_back_to_another_store(tmp_path: Path) -> None:
    keys = [bytes([number % 256, number // 256]) for number in range(1300)]
    one, other = tmp_path / "below" / "a.sqlite", tmp_path / "below" / "b.sqlite"
    Store(one).put({key: key * 3 for key in keys})
    assert Store(one).get([*keys, b"none"]) == {key: key * 3 for key in keys}
    assert Store(other).get(keys) == {}
    assert list(one.parent.iterdir()) == [one]


def test_the_oldest_go_when_it_grows_too_large(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite", 100_000, "a.sqlite")
    Store(tmp_path / "b.sqlite").put({b"k": b"v"})
    store.put({bytes([number]): bytes(1000) for number in range(50)})
    assert len(store.get([bytes([number]) for number in range(50)])) == 50
    store.put({bytes([number]): bytes(1000) for number in range(50, 150)})
    left = sorted(store.get([bytes([number]) for number in range(150)]))
    assert left == [bytes([number]) for number in range(150 - len(left), 150)]
    assert 50 < len(left) < 80
    store.put({b"new": bytes(1000)})
    assert b"new" in store.get([b"new"])
    assert Store(tmp_path / "b.sqlite").get([b"k"]) == {b"k": b"v"}


def test_a_damaged_file_and_a_folder_that_cannot_be(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.put({b"k": b"v"})
    store.path.write_bytes(b"no database, but long enough to be taken for one" * 100)
    assert store.get([b"k"]) == {}
    store.put({b"k": b"v"})
    store.put({b"k": b"v"})
    assert store.get([b"k"]) == {b"k": b"v"}
    other = Store(tmp_path / "b.sqlite")
    other.path.mkdir()
    assert other.get([b"k"]) == {}
    other.put({b"k": b"v"})


def test_a_file_of_other_columns_begins_afresh(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    with closing(sqlite3.connect(store.path)) as base:
        base.execute("CREATE TABLE contents (other TEXT)")
        base.commit()
    assert store.get([b"k"]) == {}
    store.put({b"k": b"v"})
    store.put({b"k": b"v"})
    assert store.get([b"k"]) == {b"k": b"v"}
