"""Which code a recorded run depends on: every definition that its script reaches, and no other.

A record names the hash of this code, so that a change which could change a number is noticed. What
the numbers cannot depend on does not count: comments, docstrings, layout, the module in which a
definition stands, and definitions beside it that the run never uses. Names are followed as they
are written; a definition that is only looked up by a string (`getattr`) is not seen.
"""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent
UNCOUNTED = {"runs", "provenance"}  # how a record is written decides nothing about what is in it

Place = tuple[Path, str]  # a file, and the name that a statement of its top level binds


def code_hash(script: Path, of: str = "row") -> str:
    """SHA-256 of what a definition of a script does, with every definition behind it.

    Args:
        script: a Python file that imports from this package by name.
        of: the definition whose result is recorded. How a script calls it does not count.

    Raises:
        ValueError: there is no such script or definition, or one that it imports is not there.
    """
    code = sorted(_meaning(file, node) for file, node in _reached(script, of))
    return hashlib.sha256("\n".join(code).encode()).hexdigest()


def definitions_behind(script: Path, of: str = "row") -> list[str]:
    """What a definition of a script reaches in this package, as sorted `module.name`.

    Raises:
        ValueError: as for `code_hash`.
    """
    return sorted(
        f"{'.'.join(file.relative_to(PACKAGE).with_suffix('').parts)}.{name}"
        for file, node in _reached(script, of)
        if file != script
        for name in _bound(node)
    )


@dataclass
class _Module:
    """The top level of one file.

    Attributes:
        names: the statements that bind a name.
        always: the statements that bind none: they run whatever is used of the module.
        imports: what an imported name stands for, dotted from the root.
    """

    names: dict[str, list[ast.stmt]] = field(default_factory=dict)
    always: list[ast.stmt] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)


@cache
def _module(file: Path, changed: int) -> _Module:
    found = _Module()
    for node in ast.parse(file.read_text(encoding="utf8")).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.imports |= _imports(node, file)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            pass  # a docstring
        elif names := _bound(node):
            for name in names:
                found.names.setdefault(name, []).append(node)
        else:
            found.always.append(node)
    return found


def _read(file: Path) -> _Module:
    return _module(file, file.stat().st_mtime_ns)


def _bound(node: ast.stmt) -> list[str]:
    """The names that a statement of the top level defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = {ast.Assign: "targets", ast.AnnAssign: "target", ast.AugAssign: "target"}
    if type(node) not in targets:
        return []
    return [n.id for part in _listed(node, targets[type(node)]) for n in _names(part)]


def _listed(node: ast.stmt, attribute: str) -> list[ast.AST]:
    value = getattr(node, attribute)
    return value if isinstance(value, list) else [value]


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (part for part in ast.walk(node) if isinstance(part, ast.Name))


def _imports(node: ast.Import | ast.ImportFrom, file: Path) -> dict[str, str]:
    """What each name that an import brings stands for."""
    if isinstance(node, ast.Import):
        return {
            alias.asname or alias.name.split(".")[0]: (
                alias.name if alias.asname else alias.name.split(".")[0]
            )
            for alias in node.names
        }
    if any(alias.name == "*" for alias in node.names):
        raise ValueError(f"{file.name} imports everything of {node.module}; name what it uses")
    above = [PACKAGE.name, *file.relative_to(PACKAGE).parts][: -node.level] if node.level else []
    origin = ".".join([*above, *([node.module] if node.module else [])])
    return {alias.asname or alias.name: f"{origin}.{alias.name}" for alias in node.names}


def _reached(script: Path, of: str) -> Iterator[tuple[Path, ast.stmt]]:
    """Every statement that a definition may depend on, each once, with its file."""
    if not script.is_file():
        raise ValueError(f"there is no script {script.name}; is the name spelt right?")
    if of not in _read(script).names:
        raise ValueError(f"{script.name} defines no {of}; what does it record?")
    waiting = _statements(script, of)
    seen: set[ast.stmt] = set()
    while waiting:
        file, node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        yield file, node
        for place in _uses(file, node).values():
            if isinstance(place, tuple):
                waiting += _statements(*place)


def _statements(file: Path, name: str) -> list[tuple[Path, ast.stmt]]:
    module = _read(file)
    return [(file, node) for node in (*module.names[name], *module.always)]


@cache
def _uses(file: Path, node: ast.stmt) -> dict[str, Any]:
    """What the names in a statement stand for: a `Place` of this package, or a dotted name."""
    module = _read(file)
    local = [part for part in ast.walk(node) if isinstance(part, ast.Import | ast.ImportFrom)]
    imports = module.imports | {k: v for part in local for k, v in _imports(part, file).items()}
    found: dict[str, Any] = {}
    for dotted in {_dotted(part) for part in ast.walk(node)} - {""}:
        first, *rest = dotted.split(".")
        if first in imports:
            found[dotted] = _resolved(".".join([imports[first], *rest]))
        elif first in module.names:
            found[dotted] = (file, first)
    return {name: place for name, place in found.items() if place is not None}


def _dotted(node: ast.AST) -> str:
    """`a.b.c` for the attribute of an attribute of a name; else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""


def _resolved(dotted: str) -> Place | str | None:
    """Where a dotted name of this package is defined; others stay as they are.

    Nothing for a module of the package: the names taken from it are reached one by one.
    """
    root, *parts = dotted.split(".")
    if root != PACKAGE.name:
        return dotted
    folder = PACKAGE
    for index, part in enumerate(parts):
        if part in UNCOUNTED and folder == PACKAGE:
            return None
        if (folder / part).is_dir():
            folder /= part
            continue
        file = (folder / part).with_suffix(".py")
        rest = parts[index + 1 :]
        if not file.is_file():
            file, rest = folder / "__init__.py", parts[index:]
        if not rest:
            return None
        inside = _read(file)
        if rest[0] in inside.names:
            return file, rest[0]
        if rest[0] in inside.imports:
            return _resolved(".".join([inside.imports[rest[0]], *rest[1:]]))
        raise ValueError(f"there is no {'.'.join(parts)} in {PACKAGE.name}; is it spelt right?")
    return None


def _meaning(file: Path, node: ast.stmt) -> str:
    """A statement in its normal form, with what its names stand for."""
    origins = []
    for name, place in sorted(_uses(file, node).items()):
        origins.append(f"{name}={_definition(*place) if isinstance(place, tuple) else place}")
    return f"{_normal_form(node)} where {' '.join(origins)}"


@cache
def _definition(file: Path, name: str) -> str:
    """The hash of the statements that bind a name."""
    statements = "".join(_normal_form(node) for node in _read(file).names[name])
    return hashlib.sha256(statements.encode()).hexdigest()


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
