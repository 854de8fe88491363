"""One Chromium for the tests of a file, where there is one."""

from collections.abc import Iterator

import pytest

from tests.browser.devtools import Browser, find_chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    binary = find_chromium()
    if binary is None:
        pytest.skip("no Chromium here")
    with Browser(binary) as one:
        yield one
