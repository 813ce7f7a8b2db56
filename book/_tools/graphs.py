"""Write the ONNX graphs of the models whose weights are stored (`make graphs`).

The graphs hold no weights (`seq2bert.onnx_export`): they change with the code of the models and
with the vocabularies, not with a training.
"""

import importlib
import sys
from pathlib import Path

from seq2bert import onnx_export, runs

RUNS = Path(__file__).parents[1] / "runs"
sys.path.insert(0, str(RUNS))


def write_graphs(name: str) -> None:
    """Write the graphs of every model whose weights a run stored, if a page is to run them."""
    run = importlib.import_module(name)
    if not getattr(run, "LIVE", True):
        return
    for row in runs.load(name).rows:
        if "weights" not in row:
            continue
        model = run.model_of(row)
        runs.load_weights(model, row["weights"])
        for file in onnx_export.save(model, RUNS / f"{row['weights']}.safetensors"):
            print(f"{file.name}: {file.stat().st_size:,} bytes", flush=True)


if __name__ == "__main__":
    for path in sorted(RUNS.glob("*.json")):
        write_graphs(path.stem)
