"""How long a fit takes and how much memory, beside scipy's L-BFGS on the same likelihood. ``python -m bench.ratings``

A million simulated tables of four among a thousand versions: read in, fitted, with their intervals; then a thousand
matches more. Every way is measured in a process of its own, on one thread. L-BFGS is only asked for the maximum: no
intervals, and from the same sums that Newton starts from. ``--quick`` does a tenth of it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from typing import Any

THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

VERSIONS, MATCHES, SEATS, MORE = 1000, 1_000_000, 4, 1000


def columns(versions: int, matches: int, first: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Rows of Plackett-Luce tables; matches come in blocks of four, in which the same versions meet."""
    import numpy as np

    random = np.random.default_rng(seed)
    skills = np.random.default_rng(1).normal(0, 2, versions)
    who = random.integers(0, versions, (matches // SEATS + 1, SEATS))
    for _ in range(20):  # nobody twice at a table
        same = np.flatnonzero(np.any(np.diff(np.sort(who, axis=1), axis=1) == 0, axis=1))
        who[same] = random.integers(0, versions, (same.size, SEATS))
    who = np.repeat(who, SEATS, axis=0)[:matches]
    place = 1 + np.argsort(np.argsort(-(skills[who] + random.gumbel(size=who.shape)), axis=1), axis=1)
    match = np.repeat(np.arange(first, first + matches), SEATS)
    return match, match // SEATS + first, who.ravel(), place.ravel()


def newton(versions: int, matches: int) -> dict[str, float]:
    """What the site does."""
    from arena.ratings import Results, fit

    rows, more = columns(versions, matches, 0, 2), columns(versions, MORE, 2 * matches, 3)
    before = _megabytes()
    began = time.process_time()
    results = Results.of(*rows)
    read, read_megabytes = time.process_time() - began, _megabytes()
    del rows  # whoever read them needs them no more
    fit(results, anchor=0)
    fitted, fit_megabytes = time.process_time() - began - read, _megabytes()
    began = time.process_time()
    rated = fit(results.add(Results.of(*more)), anchor=0)
    added = time.process_time() - began
    return {
        "read": read,
        "fit": fitted,
        "add": added,
        "megabytes": _megabytes(),
        "rows": before,
        "read_megabytes": read_megabytes,
        "fit_megabytes": fit_megabytes,
        "checksum": float(rated.elo.sum()),
    }


def lbfgs(versions: int, matches: int) -> dict[str, float]:
    """The same maximum by scipy, from the same sums."""
    import numpy as np
    from scipy.optimize import minimize

    from arena.ratings import ELO_PER_NAT, PRIOR_ELO, Results, fit

    results = Results.of(*columns(versions, matches, 0, 2))
    weight, ridge = 3 / (SEATS + 1) / 2, (ELO_PER_NAT / PRIOR_ELO) ** 2
    began = time.process_time()
    score = weight * results.points[SEATS].sum(axis=1)
    wins = weight * results.points[SEATS]
    meetings = wins + wins.T

    def loss(x: Any) -> tuple[float, Any]:
        apart = x[:, None] - x
        value = np.sum(wins * np.logaddexp(0, -apart)) + ridge / 2 * np.sum(x * x)
        return value, np.sum(meetings / (1 + np.exp(-apart)), axis=1) - score + ridge * x

    found = minimize(loss, np.zeros(versions), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-6})
    seconds = time.process_time() - began
    began = time.process_time()
    from arena.ratings import _newton

    x, _ = _newton(results.points, versions, 0, ridge)
    newton_seconds = time.process_time() - began
    return {
        "fit": seconds,
        "evaluations": float(found.nfev),
        "newton": newton_seconds,
        "apart": float(ELO_PER_NAT * np.max(np.abs((found.x - found.x[0]) - (x - x[0])))),
        "elo": float(np.max(np.abs(fit(results, 0).nats - x))),
    }


def _megabytes() -> float:
    """The most memory that this process has had, in 10^6 bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def _measured(way: str, versions: int, matches: int) -> dict[str, float]:
    """One way, in a process of its own."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "bench.ratings", "--way", way, str(versions), str(matches)],
        env=os.environ | THREADS,
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(arguments: list[str]) -> None:
    """Measure and print; or be the other process."""
    if arguments[:1] == ["--way"]:
        print(json.dumps({"newton": newton, "lbfgs": lbfgs}[arguments[1]](int(arguments[2]), int(arguments[3]))))
        return
    parser = argparse.ArgumentParser(prog="bench.ratings")
    parser.add_argument("--quick", action="store_true", help="a tenth of the matches")
    matches = MATCHES // 10 if parser.parse_args(arguments).quick else MATCHES
    import numpy as np
    import scipy

    print(
        f"{matches:,} matches of {SEATS} among {VERSIONS:,} versions, seconds of one core, numpy {np.__version__}, "
        f"scipy {scipy.__version__}, Python {platform.python_version()}"
    )
    own, other = _measured("newton", VERSIONS, matches), _measured("lbfgs", VERSIONS, matches)
    print(f"rows read in, sorted, checked and counted   {own['read']:6.2f} s")
    print(f"fit with intervals                          {own['fit']:6.2f} s")
    print(f"both                                        {own['read'] + own['fit']:6.2f} s")
    print(f"{MORE:,} matches more, and a fit again         {own['add']:6.2f} s")
    print(
        f"memory before anything was read in          {own['rows']:6.0f} MB: Python, numpy and the columns as they came"
    )
    print(f"  at most, by the end of reading in         {own['read_megabytes']:6.0f} MB")
    print(f"  at most, by the end of the fit            {own['fit_megabytes']:6.0f} MB")
    print(f"  at most, by the end of the second fit     {own['megabytes']:6.0f} MB")
    print(f"the maximum alone, by Newton                {other['newton']:6.2f} s")
    print(
        f"the maximum alone, by scipy's L-BFGS        {other['fit']:6.2f} s, {other['evaluations']:.0f} evaluations; "
        f"{other['apart']:.1e} Elo away"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
