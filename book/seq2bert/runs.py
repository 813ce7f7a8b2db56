"""Recorded runs: what a training gave, with which code, settings and machine, for others to rerun.

A record is a JSON file in `book/runs/`, beside the script that makes it. It holds one row for each
training and names the hash of the code that made it; weights that a chapter shows are stored next
to it in half precision.
"""

import ast
import dataclasses
import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = dict[str, Any]

PACKAGE = Path(__file__).parent
LARGEST_WEIGHTS = 1_000_000  # bytes


def code_hash(script: Path) -> str:
    """SHA-256 of what a script and the modules behind it do, comments and docstrings left out.

    Raises:
        ValueError: there is no such script, or it imports a module that is not there.
    """
    if not script.is_file():
        raise ValueError(f"there is no script {script.name}; is the name spelt right?")
    files = [script, *(file for module in modules_behind(script) for file in _files(module))]
    digest = hashlib.sha256()
    for file in files:
        digest.update(_normal_form(ast.parse(file.read_text(encoding="utf8"))).encode())
    return digest.hexdigest()


def modules_behind(script: Path) -> list[str]:
    """The modules of this package that a script imports, directly or through others.

    This module is left out: how a record is written decides nothing about what is in it.
    """
    found: set[str] = set()
    waiting = [script]
    while waiting:
        for module in _imported(waiting.pop()) - found - {"runs"}:
            found.add(module)
            waiting += _files(module)
    return sorted(found)


def _imported(file: Path) -> set[str]:
    """The modules (or packages) below `seq2bert` that a file names in its absolute imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf8"))):
        if isinstance(node, ast.ImportFrom) and node.module == PACKAGE.name:
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE.name):
            names.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            named = (alias.name.split(".") for alias in node.names)
            names |= {parts[1] for parts in named if parts[0] == PACKAGE.name and len(parts) > 1}
    return names


def _files(module: str) -> list[Path]:
    path = PACKAGE / module
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    for file in files:
        if not file.is_file():
            raise ValueError(f"there is no module seq2bert.{module}; is it spelt right?")
    return files


def _normal_form(node: Any) -> str:
    """A syntax tree as text that is the same on every Python version."""
    if isinstance(node, list):
        return "[" + ",".join(_normal_form(item) for item in node) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
        fields["body"] = node.body[1:]
    parts = (
        f"{name}={_normal_form(value)}"
        for name, value in sorted(fields.items())
        # fields that are empty, or that newer versions of Python added
        if value is not None and value != [] and name not in {"kind", "type_params", "ctx"}
    )
    return f"{type(node).__name__}({','.join(parts)})"


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
    """

    name: str
    command: str
    code: str
    settings: Mapping[str, Any]
    machine: Mapping[str, Value]
    rows: Sequence[Row]

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
