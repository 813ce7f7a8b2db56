"""Run the tests stage by stage; a stage that fails does not stop the next.

python book/_tools/run_tests.py [STAGE...]
"""

import subprocess
import sys
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
        "notebooks": [[*python, "pytest", "-q", "tests/notebooks"]],
        "records": [[*python, "pytest", "-q", "tests/records"]],
        "site": [[*python, "pytest", "-q", "tests/site"]],
        "lab": [[*python, "pytest", "-q", "tests/lab"]],
    }


def main(names: Sequence[str]) -> int:
    """Run the named stages, or all, and return 1 if any of them failed."""
    known = stages()
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"There is no stage {', '.join(unknown)}: choose from {', '.join(known)}.")
    node = find_node()
    environment = node.environment() if node else None
    results: dict[str, tuple[bool, float]] = {}
    for name in names or known:
        print(f"\n== {name} ".ljust(80, "="), flush=True)
        start = time.monotonic()
        codes = [subprocess.run(c, cwd=ROOT, env=environment).returncode for c in known[name]]
        results[name] = not any(codes), time.monotonic() - start
    print("\n== summary ".ljust(80, "="))
    for name, (passed, seconds) in results.items():
        print(f"{name:<12}{'passed' if passed else 'FAILED':<8}{seconds:6.0f} s")
    return 0 if all(passed for passed, _ in results.values()) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
