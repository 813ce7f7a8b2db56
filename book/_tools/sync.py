"""Fill the cells of the chapters that show code of the package (`make sync`).

A code cell whose metadata say `"source": "seq2bert.training.cross_entropy"` holds that
definition, letter by letter. The package is the one source: this tool copies from it into the
notebooks, and with `--check` only says which cells differ.
"""

import argparse
import ast
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"


def definition(name: str) -> str:
    """The source of a function or class, given its full name (`seq2bert.module.Name.method`).

    Raises:
        ValueError: there is no such module or definition.
    """
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        path = BOOK.joinpath(*parts[:cut])
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if file.is_file():
            break
    else:
        raise ValueError(f"{name}: no such module below book/")
    source = file.read_text(encoding="utf8")
    node: ast.AST = ast.parse(source)
    for part in parts[cut:]:
        body = getattr(node, "body", [])
        found = [child for child in body if getattr(child, "name", None) == part]
        if not found:
            raise ValueError(f"{name}: {file.relative_to(ROOT)} does not define {part!r}")
        node = found[-1]
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    lines = source.splitlines()[first - 1 : node.end_lineno]
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def sync(path: Path, check: bool) -> list[str]:
    """The names of the definitions whose cells in a notebook differed; they are filled anew."""
    notebook = nbformat.read(path, as_version=4)
    differing = []
    for cell in notebook.cells:
        name = cell.metadata.get("source")
        if cell.cell_type != "code" or name is None:
            continue
        wanted = definition(name)
        if cell.source != wanted:
            differing.append(name)
            cell.source = wanted
            cell.outputs, cell.execution_count = [], None
    if differing and not check:
        nbformat.write(notebook, path)
    return differing


def chapters() -> list[Path]:
    """All notebooks of the book."""
    return sorted(p for p in BOOK.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)


def main() -> int:
    """Command line: 1 if `--check` finds a difference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (default: all)")
    parser.add_argument("--check", action="store_true", help="change nothing, only tell")
    arguments = parser.parse_args()
    count = 0
    for path in arguments.paths or chapters():
        for name in sync(path, arguments.check):
            count += 1
            verb = "differs from" if arguments.check else "filled from"
            print(f"{path}: {verb} {name}")
    if arguments.check and count:
        print("run `make sync`, then `make execute`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
