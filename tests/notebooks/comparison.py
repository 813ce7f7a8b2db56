"""Compare what a cell gave now with what is stored, trained numbers with a tolerance.

Most cells are compared letter by letter. Pictures (PNG, SVG) are left out: what they show is in
the table or the chart that travels with them. Numbers that come out of a training differ between
processors, so a cell that shows some says how far (in its metadata):

    "tolerance": {"absolute": 0.05}                   every number within 0.05
    "tolerance": {"absolute": 0.2, "share": 0.9}      nine in ten within 0.2

All that is not a number must still be the same.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PICTURES = ("image/svg+xml", "image/png", "image/jpeg")
NUMBER = re.compile(r"(?<![\w.])[-+\N{MINUS SIGN}]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
# a picture, and the sentence that names its strongest cell: both follow from the table beside them
DERIVED = re.compile(r'<svg\b.*?</svg>|<p class="s2b-readout">.*?</p>', re.DOTALL)


@dataclass(frozen=True)
class Tolerance:
    """How far numbers may differ: `share` of them by at most `absolute`."""

    absolute: float = 0.0
    share: float = 1.0

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "Tolerance":
        """The tolerance that a cell's metadata state; none when they say nothing."""
        return cls(**metadata.get("tolerance", {}))


def differences(
    stored: Sequence[Mapping[str, Any]], fresh: Sequence[Mapping[str, Any]], tolerance: Tolerance
) -> list[str]:
    """What differs between the stored outputs of a cell and fresh ones, in sentences."""
    before = [part for output in stored for part in _parts(output)]
    after = [part for output in fresh for part in _parts(output)]
    if [kind for kind, _ in before] != [kind for kind, _ in after]:
        return [f"stored outputs {[k for k, _ in before]}, now {[k for k, _ in after]}"]
    found = []
    for (kind, one), (_, other) in zip(before, after, strict=True):
        found += [f"{kind}: {text}" for text in _compare(one, other, tolerance)]
    return found


def _parts(output: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(kind, content) of all that is compared in one output."""
    if output["output_type"] == "stream":
        text = _after_carriage_returns(output["text"])
        if text.strip() or output["name"] == "stdout":
            yield output["name"], text
    elif output["output_type"] == "error":
        yield "error", f"{output['ename']}: {output['evalue']}"
    else:
        for kind in sorted(output["data"]):
            content = output["data"][kind]
            if kind in PICTURES:
                continue
            if kind == "application/vnd.jupyter.widget-view+json":
                yield kind, ""  # its id is random; its numbers are in the table
            elif kind == "text/html":
                yield kind, DERIVED.sub("", content)
            elif isinstance(content, str):
                yield kind, content
            else:
                yield kind, json.dumps(content, indent=1, sort_keys=True)


def _after_carriage_returns(text: str) -> str:
    """What a terminal shows of a text in which a progress bar overwrote itself."""
    return "\n".join(line.rpartition("\r")[2] for line in text.split("\n"))


def _compare(stored: str, fresh: str, tolerance: Tolerance) -> list[str]:
    if stored == fresh:
        return []
    if tolerance.absolute == 0:
        return [f"stored {_around(stored, fresh)}, now {_around(fresh, stored)}"]
    if NUMBER.sub("#", stored) != NUMBER.sub("#", fresh):
        one, other = NUMBER.sub("#", stored), NUMBER.sub("#", fresh)
        return [f"stored {_around(one, other)}, now {_around(other, one)}"]
    pairs = list(zip(_numbers(stored), _numbers(fresh), strict=True))
    outside = [(a, b) for a, b in pairs if abs(a - b) > tolerance.absolute]
    if len(outside) <= (1 - tolerance.share) * len(pairs):
        return []
    shown = ", ".join(f"{a:g} is now {b:g}" for a, b in outside[:5])
    return [
        f"{len(outside)} of {len(pairs)} numbers differ by more than {tolerance.absolute:g} "
        f"({tolerance.share:.0%} must not): {shown}"
    ]


def _numbers(text: str) -> list[float]:
    return [float(number.replace("\N{MINUS SIGN}", "-")) for number in NUMBER.findall(text)]


def _around(text: str, other: str, width: int = 60) -> str:
    """The stretch of a text in which it begins to differ from another."""
    place = next(
        (i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b),
        min(len(text), len(other)),
    )
    return repr(text[max(0, place - width // 2) : place + width])
