"""Run the tests stage by stage, two at a time; a stage that fails does not stop the next.

python book/_tools/run_tests.py [STAGE...]
"""

import atexit
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import IO

from node import find_node
from stamps import ROOT

FRONTEND = ROOT / "book" / "frontend"


def stages() -> dict[str, list[list[str]]]:
    """Return the commands of each stage."""
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


# Two stages run at a time, the longest first. One is seen at once; what the other prints is kept
# until it has ended.
ORDER = ("unit", "widgets", "single", "pages", "lab", "records", "frontend", "lint")
# This one trains with every core and is timed: it comes last and alone. (`single` are the notebooks
# that use one thread.)
ALONE = "notebooks"


class Stages:
    """Stages that wait, and how those that ran ended."""

    def __init__(self, names: Sequence[str], environment: dict[str, str]) -> None:
        self.known = stages()
        self.waiting = deque(names)
        self.environment = environment
        self.results: dict[str, tuple[bool, float]] = {}
        self.running: set[subprocess.Popen[str]] = set()
        atexit.register(self.stop)

    def perform(self, name: str, output: IO[str] | None = None) -> None:
        """Run one stage; what it prints goes to a file, if there is one."""
        began, passed = time.monotonic(), True
        for command in self.known[name]:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                text=True,
            )
            self.running.add(process)
            passed = process.wait() == 0 and passed
            self.running.discard(process)
        self.results[name] = passed, time.monotonic() - began

    def take(self) -> str | None:
        """The next stage that waits."""
        try:
            return self.waiting.popleft()
        except IndexError:
            return None

    def stop(self) -> None:
        """End what is running; a command that was interrupted leaves nothing behind."""
        for process in list(self.running):
            if process.poll() is None:
                process.kill()


class Second(threading.Thread):
    """Takes stages beside the one that is seen, and keeps what they print."""

    def __init__(self, all_: Stages) -> None:
        super().__init__(daemon=True)
        self.all = all_
        self.ended: queue.SimpleQueue[tuple[str, IO[str]]] = queue.SimpleQueue()

    def run(self) -> None:
        """Stage after stage, as long as one waits."""
        while name := self.all.take():
            output = tempfile.TemporaryFile("w+")  # noqa: SIM115
            self.all.perform(name, output)
            self.ended.put((name, output))

    def show(self) -> None:
        """Print what has ended since this was last asked for."""
        while not self.ended.empty():
            name, output = self.ended.get()
            title(name)
            output.seek(0)
            print(output.read(), flush=True)
            output.close()


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
    chosen = [name for name in (*ORDER, ALONE) if name in (names or known)]
    # A record that is not asked for by itself is trained again up to its first check.
    share = {"RECORD_SHARE": "0.08"} if len(chosen) > 1 else {}
    all_ = Stages([name for name in chosen if name != ALONE], environment | share)
    first = all_.take()
    second = Second(all_)
    second.start()
    while first:
        title(first)
        all_.perform(first)
        second.show()
        first = all_.take()
    second.join()
    second.show()
    if ALONE in chosen:
        title(ALONE)
        all_.perform(ALONE)
    results = all_.results
    title("summary")
    for name, (passed, seconds) in results.items():
        print(f"{name:<12}{'passed' if passed else 'FAILED':<8}{seconds:6.0f} s")
    return 0 if all(passed for passed, _ in results.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
