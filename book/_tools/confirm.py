"""Confirm a record after a change of code that changes no number (`make confirm RUN=name`).

A record names the hash of the code that made it, and a test fails when they part. Where numbers may
have changed, `make runs RUN=name` makes the record again. Where they cannot (a function learned
something that the run does not use), this trains one row twice on this machine: with the code of
the commit that the record agrees with, and with the present code. If every number but the clock's
is equal to the last digit, the record names the present code, and says how it was confirmed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from seq2bert import runs
from seq2bert.provenance import code_hash

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "book" / "runs"
COMMITS = 200  # so many are searched for the one that a record agrees with

HASH = """
import sys
from pathlib import Path
from seq2bert.provenance import code_hash
print(code_hash(Path(sys.argv[1])))
"""

ROW = """
import importlib, json, sys
from pathlib import Path
script, keys = Path(sys.argv[1]), json.loads(sys.argv[2])
sys.path.insert(0, str(script.parent))
print(json.dumps(importlib.import_module(script.stem).row(*keys)))
"""


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="of the run")
    parser.add_argument(
        "--row", type=int, help="which row is trained (default: the cheapest that has most to tell)"
    )
    arguments = parser.parse_args()
    script = RUNS / f"{arguments.name}.py"
    record, present = runs.load(arguments.name), code_hash(script)
    if record.code == present:
        print(f"{record.name}: the record is of the present code; nothing to confirm")
        return 0
    chosen = arguments.row
    if chosen is None:
        chosen = cheapest(record.rows)
    keys = keys_of(script, record.rows[chosen])
    print(f"{record.name}, row {chosen} {keys}: trained with the old code and the new", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before"
        _git("worktree", "add", "--detach", str(before), commit_of(record, before))
        try:
            with ThreadPoolExecutor(2) as pool:
                trees = (before, ROOT)
                old, new = pool.map(lambda tree: train(tree, record.name, keys), trees)
        finally:
            _git("worktree", "remove", "--force", str(before))
    apart = differences(old, new)
    if apart:
        print("\n".join(["the numbers differ; make the record again:", *apart]))
        return 1
    proof = {"code": record.code, "row": chosen, **runs.this_machine(), "threads": 1}
    fields = vars(record) | {"code": present, "confirmed": [*record.confirmed, proof]}
    runs.Record(**fields).save(RUNS)
    print(f"{record.name}: equal in every number; the record names the present code")
    return 0


def cheapest(rows: Sequence[runs.Row]) -> int:
    """The row that took least time, of those that report as much as any."""
    most = max(len(row["test"]) for row in rows)
    full = [index for index, row in enumerate(rows) if len(row["test"]) == most]
    return min(full, key=lambda index: rows[index]["seconds"])


def keys_of(script: Path, row: runs.Row) -> list[Any]:
    """What `row` of a run takes to make a certain row."""
    sys.path.insert(0, str(script.parent))
    return [row[key] for key in __import__(script.stem).KEYS]


def commit_of(record: runs.Record, folder: Path) -> str:
    """The latest commit whose code is that of the record.

    Args:
        record: of a run.
        folder: where a commit may be checked out for a look; it is taken away again.

    Raises:
        ValueError: there is none among the last ones.
    """
    path = f"book/runs/{record.name}.py"
    listed = _git("log", f"-{COMMITS}", "--format=%H", "--", "book/seq2bert", path).split()
    for commit in listed:
        _git("worktree", "add", "--detach", str(folder), commit)
        try:
            found = _python(folder, HASH, str(folder / path)).strip()
        finally:
            _git("worktree", "remove", "--force", str(folder))
        if found == record.code:
            return commit
    raise ValueError(f"none of the last {len(listed)} commits has the code of {record.name}")


def train(tree: Path, name: str, keys: list[Any]) -> runs.Row:
    """One row, trained with the code of a tree."""
    told = _python(tree, ROW, str(tree / "book" / "runs" / f"{name}.py"), json.dumps(keys))
    row: runs.Row = json.loads(told.splitlines()[-1])
    return row


def differences(old: Any, new: Any, path: str = "") -> list[str]:
    """Where two rows differ, the clock's numbers left out."""
    if "seconds" in path.rpartition(".")[2]:
        return []
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [d for key in old for d in differences(old[key], new[key], f"{path}.{key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [d for i, (one, other) in pairs for d in differences(one, other, f"{path}[{i}]")]
    return [] if old == new else [f"{path[1:]}: {old} became {new}"]


def _python(tree: Path, code: str, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(tree / "book"), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ).stdout


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
