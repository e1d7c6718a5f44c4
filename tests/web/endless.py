"""Work that does not end by itself, for processes that have to be ended. They import it by its name."""

from __future__ import annotations

import time
from typing import Any


def endless(*_: Any, **__: Any) -> None:
    while True:
        time.sleep(60)
