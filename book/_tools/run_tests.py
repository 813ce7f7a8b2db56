"""Run the tests stage by stage; a stage that fails does not stop the next.

python book/_tools/run_tests.py [STAGE...]
"""

import atexit
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from node import find_node
from stamps import ROOT

FRONTEND = ROOT / "book" / "frontend"


def stages() -> dict[str, list[list[str]]]:
    """Return the commands of each stage, in the order in which they run."""
    node = find_node()
    npm = [*(node.npm if node else ("npm",)), "--prefix", str(FRONTEND)]
    python = [sys.executable, "-m"]
    return {
        "lint": [
            [*python, "ruff", "check", "."],
            [*python, "ruff", "format", "--check", "."],
            [*python, "mypy"],
            [*npm, "run", "--silent", "check"],
        ],
        "frontend": [[*npm, "test"]],
        "unit": [[*python, "pytest", "-q", "tests/unit"]],
        "site": [[*python, "pytest", "-q", "tests/site"]],
        "lab": [[*python, "pytest", "-q", "tests/lab"]],
        "records": [[*python, "pytest", "-q", "tests/records"]],
        "notebooks": [[*python, "pytest", "-q", "tests/notebooks"]],
    }


class Background:
    """A command that runs beside others; what it prints is kept until it is asked for."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.printed = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed with the process)
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=self.printed, stderr=subprocess.STDOUT
        )
        atexit.register(self.process.kill)

    def wait(self) -> int:
        """Wait for the end; the exit code."""
        return self.process.wait()

    def output(self) -> str:
        """All that was printed."""
        self.printed.seek(0)
        return self.printed.read()


def main(names: Sequence[str]) -> int:
    """Run the named stages, or all, and return 1 if any of them failed."""
    known = stages()
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"There is no stage {', '.join(unknown)}: choose from {', '.join(known)}.")
    node = find_node()
    environment = node.environment() if node else None
    results: dict[str, tuple[bool, float]] = {}
    chosen = list(names or known)
    # The record trains for minutes on one thread: it does so beside the stages that come before,
    # and only for the first quarter of its steps. By itself the stage trains a row to its end.
    # The chapters come last and alone, since their training wants every core.
    both = "records" in chosen and len(chosen) > 1
    part = {**(environment or os.environ), "RECORD_SHARE": "0.25"}
    early = Background(known["records"][0], part) if both else None
    for name in chosen:
        print(f"\n== {name} ".ljust(80, "="), flush=True)
        began = time.monotonic()
        if name == "records" and early is not None:
            codes = [early.wait()]
            print(early.output(), flush=True)
        else:
            codes = [subprocess.run(c, cwd=ROOT, env=environment).returncode for c in known[name]]
        results[name] = not any(codes), time.monotonic() - began
    print("\n== summary ".ljust(80, "="))
    for name, (passed, seconds) in results.items():
        print(f"{name:<12}{'passed' if passed else 'FAILED':<8}{seconds:6.0f} s")
    return 0 if all(passed for passed, _ in results.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
