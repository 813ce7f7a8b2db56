"""Run the tests stage by stage; a stage that fails does not stop the next.

python book/_tools/run_tests.py [STAGE...]
"""

import atexit
import os
import subprocess
import sys
import tempfile
import threading
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
        "pages": [[*python, "pytest", "-q", "tests/site/pages"]],
        "widgets": [[*python, "pytest", "-q", "tests/site/widgets"]],
        "lab": [[*python, "pytest", "-q", "tests/lab"]],
        "records": [[*python, "pytest", "-q", "tests/records"]],
        "single": [[*python, "pytest", "-q", "tests/notebooks", "--threads", "one"]],
        "notebooks": [[*python, "pytest", "-q", "tests/notebooks", "--threads", "several"]],
    }


# These use one core, or wait: they run one after the other beside the stages before the last.
# (`single` are the notebooks that use one thread.)
BESIDE = ("lint", "records", "lab", "widgets", "single")
# This one trains with every core and is timed: it comes last and alone.
ALONE = "notebooks"


class Lane(threading.Thread):
    """Stages that run beside others; what they print is kept until it is asked for."""

    def __init__(self, names: Sequence[str], environment: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self.names, self.environment = names, environment
        self.printed = {name: tempfile.TemporaryFile("w+") for name in names}  # noqa: SIM115
        self.results: dict[str, tuple[bool, float]] = {}
        self.process: subprocess.Popen[str] | None = None
        atexit.register(self.stop)

    def run(self) -> None:
        """Run the stages."""
        for name in self.names:
            began, passed = time.monotonic(), True
            for command in stages()[name]:
                self.process = subprocess.Popen(
                    command,
                    cwd=ROOT,
                    env=self.environment,
                    stdout=self.printed[name],
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                passed = self.process.wait() == 0 and passed
            self.results[name] = passed, time.monotonic() - began

    def stop(self) -> None:
        """End what is running; a command that was interrupted leaves nothing behind."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()

    def output(self, name: str) -> str:
        """All that a stage printed."""
        self.printed[name].seek(0)
        return self.printed[name].read()


def title(name: str) -> None:
    """Begin a stage's part of what is printed."""
    print(f"\n== {name} ".ljust(80, "="), flush=True)


def main(names: Sequence[str]) -> int:
    """Run the named stages, or all, and return 1 if any of them failed."""
    known = stages()
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"There is no stage {', '.join(unknown)}: choose from {', '.join(known)}.")
    node = find_node()
    environment = node.environment() if node else dict(os.environ)
    results: dict[str, tuple[bool, float]] = {}
    chosen = list(names or known)
    ahead = [name for name in chosen if name not in BESIDE and name != ALONE]
    beside = [name for name in BESIDE if name in chosen] if ahead else []
    # A record that is not asked for by itself is trained again up to its first check.
    share = {"RECORD_SHARE": "0.08"} if ahead else {}
    lane = Lane(beside, environment | share)
    lane.start()

    def perform(name: str) -> None:
        title(name)
        began = time.monotonic()
        codes = [subprocess.run(c, cwd=ROOT, env=environment).returncode for c in known[name]]
        results[name] = not any(codes), time.monotonic() - began

    for name in ahead:
        perform(name)
    lane.join()
    for name in beside:
        title(name)
        print(lane.output(name), flush=True)
    results |= lane.results
    for name in chosen:
        if name not in results:
            perform(name)
    title("summary")
    for name, (passed, seconds) in results.items():
        print(f"{name:<12}{'passed' if passed else 'FAILED':<8}{seconds:6.0f} s")
    return 0 if all(passed for passed, _ in results.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
