"""Functions that tests hand to runs; in a module, so that other processes can load them by name."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def product(x, y):
    return x * y


def of_array(z):
    return float(z.sum())


def fails_on_the_left(x, y):
    if x < 0.5:
        raise ValueError(f"no solution at x = {x}")
    return x + y


def dies_once(x, y, *, folder):
    """The first call ends its own process, as the kernel does when memory runs out."""
    try:
        (Path(folder) / "died").touch(exist_ok=False)
    except FileExistsError:
        return x + y
    os.kill(os.getpid(), signal.SIGKILL)


def dies_always(x, y):
    os.kill(os.getpid(), signal.SIGKILL)


def hangs_on_the_left(x, y):
    if x < 0.5:
        time.sleep(600)
    return x + y


def waits_for(x, y, *, folder):
    """Says that it was begun, and goes on when the file `go` is there."""
    (Path(folder) / f"begun-{os.getpid()}").touch()
    while not (Path(folder) / "go").exists():
        time.sleep(0.01)
    return x + y


def starts_a_child(folder):
    """A call that starts another program and waits for it."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    (Path(folder) / "child").write_text(str(child.pid))
    child.wait()


def dies_and_leaves_a_fork():
    """A call whose child goes on when the worker is gone."""
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGKILL)


def returns_in_both():
    """A call that forks and lets the child return, too."""
    return "child" if os.fork() == 0 else "worker"


def fails_by_a_module_of_its_own(folder):
    """A solver that only the worker finds, with an exception of its own."""
    sys.path.insert(0, folder)
    import solver_of_the_worker

    raise solver_of_the_worker.Diverged("at step 7")


def closes_its_output():
    with Path(os.devnull).open("w") as sys.stdout:
        pass
    return "value"


def exits():
    sys.exit(3)


def talks():
    print("hello")
    os.write(1, b"raw bytes\n")
    return "value"
