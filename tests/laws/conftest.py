"""Laws are about what is chosen from a fit: the same fit is made once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.shared_fits import shared


@pytest.fixture(scope="package", autouse=True)
def shared_fits() -> Iterator[None]:
    with shared():
        yield
