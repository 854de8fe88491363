"""The guides whose commands take longest, as in tests/documentation/test_guides.py."""

from pathlib import Path
from typing import Any

import pytest

from tests.documentation import test_guides
from tests.documentation.test_guides import LONGER, PAGES

guides = test_guides.guides


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem in LONGER], ids=lambda page: page.stem)
def test_a_page_shows_what_its_commands_print(
    page: Path, guides: Any, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test_guides.test_a_page_shows_what_its_commands_print(page, guides, site, tmp_path, monkeypatch)
