"""Run chapters top to bottom in fresh kernels and store their outputs (`make execute`).

What the site has elsewhere (the front end that a widget's state would carry) is taken out of the
stored state; widget state that no output shows is dropped; what a progress bar left behind goes.
"""

import argparse
import json
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from seq2bert.widgets import strip_stored_state
from seq2bert.widgets.stored import STATE_TYPE
from sync import ROOT, chapters, sync

VIEW_TYPE = "application/vnd.jupyter.widget-view+json"
LONGEST = 120  # seconds
LARGEST = 1_000_000  # bytes


def execute(path: Path) -> float:
    """Execute a notebook in place; the seconds that it took.

    Raises:
        ValueError: the notebook has become too large.
        nbclient.exceptions.CellExecutionError: a cell raised.
    """
    sync(path, check=False)
    notebook = nbformat.read(path, as_version=4)
    began = time.monotonic()
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=600,
        store_widget_state=True,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    seconds = time.monotonic() - began
    tidy(notebook)
    content = nbformat.writes(notebook)
    if len(content.encode()) > LARGEST:
        raise ValueError(f"{path.name} would have {len(content):,} bytes; the limit is {LARGEST:,}")
    path.write_text(content + "\n", encoding="utf8")
    return seconds


def tidy(notebook: nbformat.NotebookNode) -> None:
    """Keep of an executed notebook only what is the same next time, or is shown."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _left_by_progress(output)]
    notebook.metadata["language_info"] = {"name": "python"}
    strip_stored_state(notebook)
    drop_unseen_models(notebook)


def drop_unseen_models(notebook: nbformat.NotebookNode) -> None:
    """Keep the stored state of the widgets that an output shows, and of what they refer to."""
    stored = notebook.metadata.get("widgets", {}).get(STATE_TYPE)
    if stored is None:
        return
    waiting = [
        output.data[VIEW_TYPE]["model_id"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if VIEW_TYPE in output.get("data", {})
    ]
    kept: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in stored["state"] and name not in kept:
            kept.add(name)
            waiting += re.findall(r"IPY_MODEL_(\w+)", json.dumps(stored["state"][name]))
    stored["state"] = {name: stored["state"][name] for name in sorted(kept)}


def _left_by_progress(output: nbformat.NotebookNode) -> bool:
    """Whether a stderr stream shows nothing once its carriage returns are obeyed."""
    if output.output_type != "stream" or output.name != "stderr":
        return False
    return not any(line.rpartition("\r")[2].strip() for line in output.text.split("\n"))


def main() -> int:
    """Command line: 1 if a chapter takes too long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (default: all)")
    arguments = parser.parse_args()
    slow = 0
    for path in [p.resolve() for p in arguments.paths] or chapters():
        seconds = execute(path)
        print(f"{path.relative_to(ROOT)}: {seconds:.0f} s", flush=True)
        if seconds > LONGEST:
            slow += 1
            print(f"  longer than {LONGEST} s: train less, or record the run")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
