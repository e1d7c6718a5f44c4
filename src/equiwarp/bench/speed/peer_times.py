"""The peers' time for one more suggestion on the same data: a program for an environment of their own.

It is run by its path, under an interpreter that has the peers and need not have equiwarp:
``python peer_times.py case.npz`` prints one JSON object, name -> seconds of processor time, or a text that
says why there is none. The file holds x, y, noise, ell, pool and targets on the unit cube. Hyperparameters
are fixed and equal to ours wherever a peer has any; nothing is fitted.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

Case = dict[str, Any]

#: Seconds of processor time after which a peer is given up.
PEER_SECONDS = 45
#: Candidates that qNIPV evaluates at once, and how many such batches are timed: each takes a covariance
#: of all targets and measurements, and the whole pool would take minutes.
BATCH, BATCHES = 8, 3


def scikit_learn(case: Case) -> float:
    """Posterior deviation over the pool."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import Matern

    kernel = Matern(case["ell"], nu=2.5)

    def work() -> None:
        model = GaussianProcessRegressor(kernel, alpha=case["noise"] ** 2, optimizer=None)
        np.argmax(model.fit(case["x"], case["y"]).predict(case["pool"], return_std=True)[1])

    return timed(work)


def _botorch_model(case: Case) -> tuple[Any, Any, dict[str, Any]]:
    import torch
    from botorch.models import SingleTaskGP
    from gpytorch.kernels import MaternKernel

    torch.set_num_threads(1)
    tensor = {k: torch.as_tensor(case[k], dtype=torch.float64) for k in ("x", "y", "pool", "targets")}
    kernel = MaternKernel(nu=2.5)
    kernel.lengthscale = case["ell"]
    y = tensor["y"][:, None]
    noise = torch.full_like(y, case["noise"] ** 2)
    model = SingleTaskGP(tensor["x"], y, noise, covar_module=kernel, outcome_transform=None)
    return torch, model.eval(), tensor


def botorch_variance(case: Case) -> float:
    """SingleTaskGP: posterior variance over the pool, as one batch or as 4,096, whichever is faster."""

    def work(batched: bool) -> None:
        torch, model, tensor = _botorch_model(case)
        pool = tensor["pool"][:, None, :] if batched else tensor["pool"]
        with torch.no_grad():
            model.posterior(pool).variance.argmax()

    return min(timed(lambda: work(True)), timed(lambda: work(False)))


def botorch_qnipv(case: Case) -> float:
    """qNegIntegratedPosteriorVariance over the pool: timed on a few candidates, the rest in proportion."""
    from botorch.acquisition.active_learning import qNegIntegratedPosteriorVariance

    def work(count: int) -> None:
        torch, model, tensor = _botorch_model(case)
        acquisition = qNegIntegratedPosteriorVariance(model, mc_points=tensor["targets"])
        with torch.no_grad():
            values = [acquisition(part[:, None, :]) for part in tensor["pool"][:count].split(BATCH)]
        torch.cat(values).argmax()

    work(BATCH)
    one = timed(lambda: work(BATCH), repeats=1)
    each = (timed(lambda: work(BATCHES * BATCH), repeats=1) - one) / (BATCHES - 1)
    return one + each * (len(case["pool"]) / BATCH - 1)


def openturns_lola(case: Case) -> float:
    """LOLA-Voronoi: the algorithm built on the data, and one new point."""
    ot, experimental = import_module("openturns"), import_module("openturns.experimental")

    cube = ot.JointDistribution([ot.Uniform(0.0, 1.0)] * case["x"].shape[1])
    x, y = ot.Sample(case["x"]), ot.Sample(case["y"][:, None])

    def work() -> None:
        experimental.LOLAVoronoi(x, y, cube).generate(1)

    return timed(work)


def adaptive_learner(case: Case) -> float:
    """LearnerND with all data told: one more ask and tell."""
    dim = case["x"].shape[1]
    learner = import_module("adaptive").LearnerND(lambda point: 0.0, bounds=[(0.0, 1.0)] * dim)
    corners = np.array(np.meshgrid(*[[0.0, 1.0]] * dim)).reshape(dim, -1).T
    for point in corners:
        learner.tell(tuple(point), float(np.sin(5 * point).prod()))
    for point, value in zip(case["x"], case["y"], strict=True):
        learner.tell(tuple(point), float(value))
    learner.ask(1)
    times = []
    for _ in range(3):
        start = time.process_time()
        points, _ = learner.ask(1)
        learner.tell(points[0], float(np.sin(5 * np.array(points[0])).prod()))
        times.append(time.process_time() - start)
    return float(np.median(times))


TIMED_PEERS: dict[str, Callable[[Case], float]] = {
    "scikit-learn deviation": scikit_learn,
    "BoTorch variance": botorch_variance,
    "BoTorch qNIPV": botorch_qnipv,
    "OpenTURNS LOLA-Voronoi": openturns_lola,
    "adaptive LearnerND": adaptive_learner,
}


def timed(work: Callable[[], object], repeats: int = 3) -> float:
    """Median processor time; the first call, which may compile or cache, does not count."""
    if repeats > 1:
        work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return float(np.median(times))


def _give_up(*_: object) -> None:
    raise TimeoutError


def time_peers(case: Case) -> dict[str, float | str]:
    """Seconds, or a reason, by peer."""
    results: dict[str, float | str] = {}
    signal.signal(signal.SIGPROF, _give_up)
    for name, peer in TIMED_PEERS.items():
        signal.setitimer(signal.ITIMER_PROF, PEER_SECONDS)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the peers' own advice on scaling inputs
                results[name] = peer(case)
        except ImportError as error:
            results[name] = f"absent ({error.name})"
        except TimeoutError:
            results[name] = f"more than {PEER_SECONDS} s"
        except Exception as error:  # a peer that fails must not end the comparison
            results[name] = f"failed: {type(error).__name__}: {str(error)[:80]}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return results


if __name__ == "__main__":
    with np.load(sys.argv[1]) as stored:
        arrays = {key: stored[key] if stored[key].ndim else float(stored[key]) for key in stored.files}
    print(json.dumps(time_peers(arrays)))
