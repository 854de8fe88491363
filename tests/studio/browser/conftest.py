"""One Chromium for all tests, where there is one."""

from collections.abc import Iterator

import pytest

from tests.studio.browser.devtools import Browser, find_chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    binary = find_chromium()
    if binary is None:
        pytest.skip("no Chromium here")
    with Browser(binary) as one:
        yield one
