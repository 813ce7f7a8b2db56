"""Shapes and types of all functions on tensors are checked while unit tests run.

Modules that name no shape are left alone: their types are mypy's business, and checked at every
call the colours of the palette alone took twenty seconds.
"""

import importlib.util
import sys
from pathlib import Path

import pytest
import torch
from jaxtyping import install_import_hook

BOOK = Path(importlib.util.find_spec("seq2bert").origin).parents[1]
SHAPED = [
    ".".join(file.relative_to(BOOK).with_suffix("").parts)
    for file in (BOOK / "seq2bert").rglob("*.py")
    if "from jaxtyping import" in file.read_text(encoding="utf8")
]
hook = install_import_hook(SHAPED, "beartype.beartype")

# Tensors are tiny here; a second thread only waits for the first.
torch.set_num_threads(1)


@pytest.fixture
def unchecked():
    """Import a module of the package as users do: without run-time checks of types.

    With the checks on, a wrong type never reaches the message that is written for it.
    """

    def load(name):
        spec = importlib.util.find_spec(f"seq2bert.{name}")
        plain = importlib.util.spec_from_file_location(
            f"unchecked_{name.replace('.', '_')}", spec.origin
        )
        module = importlib.util.module_from_spec(plain)
        sys.modules[plain.name] = module
        plain.loader.exec_module(module)
        return module

    return load
