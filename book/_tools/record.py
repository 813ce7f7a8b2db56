"""Perform recorded runs anew (`make runs`, `make runs RUN=bahdanau`).

A run is a script in `book/runs/` with a function `record() -> seq2bert.runs.Record`, which may
store weights beside it, and a function `row(key) -> dict` that performs a single training.
"""

import argparse
import importlib
import sys
import time
from pathlib import Path

from graphs import write_graphs

RUNS = Path(__file__).parents[1] / "runs"
sys.path.insert(0, str(RUNS))


def main() -> int:
    """Command line."""
    known = sorted(path.stem for path in RUNS.glob("*.py"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"runs (default: all): {', '.join(known)}")
    arguments = parser.parse_args()
    for name in arguments.names or known:
        if name not in known:
            print(f"there is no run {name!r}; there are: {', '.join(known)}")
            return 2
        began = time.monotonic()
        path = importlib.import_module(name).record().save(RUNS)
        print(f"{path.name}: {time.monotonic() - began:.0f} s", flush=True)
        write_graphs(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
