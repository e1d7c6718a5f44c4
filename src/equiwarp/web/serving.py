"""Serving until somebody stops it, and stopping at once, whatever is being computed.

All that was acknowledged is on the disk, so nothing can be lost by ending quickly: the processes are
ended, those who wait are told, and what still does not end (a thread that waits for a busy store) is left
behind.
"""

from __future__ import annotations

import os
import socket
import threading
from types import FrameType

import uvicorn
from fastapi import FastAPI

from equiwarp.web.headers import BoundedHeaders
from equiwarp.web.processes import load_ahead

#: Seconds for answers under way, and until the process ends in any case.
GRACE, LAST_MOMENT = 1, 2.5


class PageServer(uvicorn.Server):
    """Uvicorn's server, which ends the page's work with the first signal."""

    def __init__(self, app: FastAPI) -> None:
        # No access log: it would hold addresses of pages, and those are nobody's business.
        config = uvicorn.Config(
            app,
            http=BoundedHeaders,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE,
        )
        super().__init__(config)
        self._app = app

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # In threads of their own: a signal handler must not wait for a lock.
        threading.Thread(target=self._app.state.hub.stop, daemon=True).start()
        last = threading.Timer(LAST_MOMENT, os._exit, [0])
        last.daemon = True
        last.start()
        super().handle_exit(sig, frame)


def serve(app: FastAPI, listener: socket.socket) -> None:
    """Answer on this socket until a signal comes."""
    threading.Thread(target=load_ahead, daemon=True).start()
    PageServer(app).run(sockets=[listener])
