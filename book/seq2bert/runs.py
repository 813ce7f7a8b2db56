"""Recorded runs: what a training gave, with which code, settings and machine, for others to rerun.

A record is a JSON file in `book/runs/`, beside the script that makes it. It holds one row for each
training and names the hash of the code that made it; weights that a chapter shows are stored next
to it in half precision.
"""

import dataclasses
import hashlib
import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias

from seq2bert.provenance import PACKAGE, code_hash

Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = dict[str, Any]

LARGEST_WEIGHTS = 1_000_000  # bytes


@dataclass(frozen=True)
class Record:
    """What a recorded run found.

    Attributes:
        name: of the run; its script is ``book/runs/<name>.py``, its record ``<name>.json``.
        command: what makes it again.
        code: `code_hash` of its script when the run was made.
        settings: what all rows share.
        machine: processor, threads and versions.
        rows: one for each training: what distinguishes it, and what it gave.
        confirmed: changes of code since then that change no number: the `code` before each, and
            the row that was trained with both on which machine (`make confirm`).
    """

    name: str
    command: str
    code: str
    settings: Mapping[str, Any]
    machine: Mapping[str, Value]
    rows: Sequence[Row]
    confirmed: Sequence[Mapping[str, Value]] = field(default_factory=list)

    def select(self, **conditions: Value) -> list[Row]:
        """The rows in which all the named fields have the given values.

        Raises:
            ValueError: no row has them.
        """
        rows = [row for row in self.rows if all(row.get(k) == v for k, v in conditions.items())]
        if not rows:
            raise ValueError(f"the record {self.name!r} has no row with {conditions}")
        return rows

    def save(self, folder: Path) -> Path:
        """Write the record as `<folder>/<name>.json`."""
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps(dataclasses.asdict(self), indent=1) + "\n", encoding="utf8")
        return path


def make(
    script: Path,
    row: Callable[..., Row],
    jobs: Sequence[tuple[Value, ...]],
    settings: Mapping[str, Any],
) -> Record:
    """Carry out all trainings of a run, one to a core, and collect their rows.

    Rows are kept beside the build as they come (`unfinished`), so that a run that was stopped goes
    on where it was, as long as the code stays the same.

    Args:
        script: the file of the run, `book/runs/<name>.py`.
        row: its function that performs one training, on one thread.
        jobs: the arguments of `row` for each training.
        settings: what all rows share.

    Returns:
        the record, its rows in the order of the jobs.

    Raises:
        ValueError: the code changed while the run was made.
    """
    code = code_hash(script)
    kept = unfinished(script, code)
    rows = _kept_rows(kept)
    missing = [job for job in jobs if json.dumps(job) not in rows]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        waiting = {pool.submit(row, *job): job for job in missing}
        for done in as_completed(waiting):
            job, found = json.dumps(waiting[done]), done.result()
            rows[job] = found
            with kept.open("a", encoding="utf8") as file:
                file.write(json.dumps({"job": job, "row": found}) + "\n")
            told = ", ".join(f"{k} {v}" for k, v in found.items() if k in ("seed", *_names(found)))
            print(f"{len(rows)} of {len(jobs)}: {told}, {found['seconds']:.0f} s", flush=True)
    if code_hash(script) != code:
        raise ValueError("the code changed while the run was made; make it again")
    machine = this_machine() | {"threads": 1}
    ordered = [rows[json.dumps(job)] for job in jobs]
    kept.unlink(missing_ok=True)
    return Record(script.stem, f"make runs RUN={script.stem}", code, settings, machine, ordered)


def unfinished(script: Path, code: str) -> Path:
    """Where the rows of a run are kept until all are there."""
    folder = script.parents[2] / ".build" / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{script.stem}-{code[:16]}.jsonl"


def _kept_rows(file: Path) -> dict[str, Row]:
    """The rows of a file that `make` wrote, by job; a line that was cut off is left out."""
    rows = {}
    for line in file.read_text(encoding="utf8").splitlines() if file.is_file() else []:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        rows[entry["job"]] = entry["row"]
    return rows


def _names(row: Row) -> list[str]:
    """The fields of a row that are words and short: what distinguishes it."""
    return [key for key, value in row.items() if isinstance(value, str) and len(value) < 40]


def load(name: str, folder: Path | None = None) -> Record:
    """The record of a run.

    Args:
        name: of the run.
        folder: where records are; found by `runs_folder` when left out.

    Raises:
        ValueError: there is no such record.
    """
    folder = folder or runs_folder()
    path = folder / f"{name}.json"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.json"))) or "none"
        raise ValueError(f"there is no record {name!r} in {folder.name}/; there are: {known}")
    return Record(**json.loads(path.read_text(encoding="utf8")))


def runs_folder() -> Path:
    """`book/runs` of the checkout that this package, or the working directory, lies in.

    Raises:
        ValueError: neither lies in a checkout.
    """
    candidates = [PACKAGE.parent, *(up / "book" for up in (Path.cwd(), *Path.cwd().parents))]
    for book in candidates:
        if (book / "runs").is_dir() and (book / "intro.md").is_file():
            return book / "runs"
    raise ValueError("no folder book/runs above here; run from a checkout of the book")


def this_machine() -> dict[str, Value]:
    """What a training's numbers may depend on beside its code."""
    import torch

    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": version("numpy"),
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def save_weights(model: Any, name: str, folder: Path | None = None) -> str:
    """Store a model's weights in half precision; the SHA-256 of the file.

    Args:
        model: an `nn.Module`.
        name: of the file, without ``.safetensors``; it begins with the name of the run.
        folder: where records are; found by `runs_folder` when left out.

    Raises:
        ValueError: the file would be larger than 1 MB (more would burden every clone).
    """
    import torch
    from safetensors.torch import save

    state = {
        key: tensor.detach().to("cpu", torch.float16).contiguous()
        for key, tensor in model.state_dict().items()
    }
    content = save(state)
    if len(content) > LARGEST_WEIGHTS:
        raise ValueError(
            f"{name} would have {len(content):,} bytes; the limit is {LARGEST_WEIGHTS:,}: make "
            "the model smaller"
        )
    _weights_path(name, folder).write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def load_weights(model: Any, name: str, folder: Path | None = None) -> None:
    """Load weights that `save_weights` stored (cast to the model's dtype); set eval mode.

    Raises:
        ValueError: there are no such weights, or they belong to a model of another shape.
    """
    from safetensors.torch import load_file

    path = _weights_path(name, folder)
    if not path.is_file():
        raise ValueError(f"there are no weights {path.name}; `make runs` makes them")
    stored, own = load_file(path), model.state_dict()
    if {k: v.shape for k, v in stored.items()} != {k: v.shape for k, v in own.items()}:
        raise ValueError(
            f"{path.name} holds a model of another shape; make this one with the same vocabularies "
            "and sizes as the run did"
        )
    model.load_state_dict(stored)
    model.eval()


GRAPHS = ("encode", "step")
"""The ONNX graphs of a stored translator; they refer to its weights (`seq2bert.onnx_export`)."""


def stored_files(name: str, folder: Path | None = None) -> list[dict[str, Any]]:
    """The files of a stored translator: weights and graphs, with size in bytes and SHA-256.

    Raises:
        ValueError: one of them is not there.
    """
    weights = _weights_path(name, folder)
    found = []
    for path in (weights, *(weights.with_name(f"{name}.{part}.onnx") for part in GRAPHS)):
        if not path.is_file():
            raise ValueError(
                f"there is no {path.name} in {path.parent.name}/; `make graphs` makes it"
            )
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        found.append({"file": path.name, "bytes": len(content), "sha256": digest})
    return found


def _weights_path(name: str, folder: Path | None) -> Path:
    return (folder or runs_folder()) / f"{name}.safetensors"
