"""Shapes and types of every annotated function of the package are checked while unit tests run."""

import importlib.util
import sys

import pytest
import torch
from jaxtyping import install_import_hook

hook = install_import_hook("seq2bert", "beartype.beartype")

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
