"""Tokens as labels: what is shown for a token, and how wide it will be.

The width is estimated from the characters, not measured, so that the static picture drawn here
and the live one drawn by `book/frontend/src/shared/tokens.ts` come out the same without a font.
"""

from __future__ import annotations

import unicodedata

LONGEST_LABEL = 10
"""A label wider than this many em is cut."""

_NARROW = frozenset(" .,;:!|'\u2019`()[]{}ijltfrI1")
_BROAD = frozenset("mwMW@%—…")
_SHOWN = {"": "∅", " ": "␣", "\n": "⏎", "\t": "⇥"}
_JOINER = 0x200D


def shown(token: str) -> str:
    """The token as it can be read: blanks and control characters get a visible sign."""
    if token in _SHOWN:
        return _SHOWN[token]
    return "".join(_visible(character) for character in token)


def _visible(character: str) -> str:
    code = ord(character)
    if character in "\n\t":
        return _SHOWN[character]
    # what XML forbids: control characters, lone surrogates, two non-characters
    forbidden = code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code <= 0xDFFF
    return "\ufffd" if forbidden or code in (0xFFFE, 0xFFFF) else character


def text_width(text: str) -> float:
    """Estimated width of a text in em."""
    return sum((_character_width(character) for character in text), 0.0)


def _character_width(character: str) -> float:
    code = ord(character)
    if code == _JOINER or unicodedata.category(character).startswith("M"):
        return 0.0
    if code >= 0x1F000 or 0x2E80 <= code <= 0xD7FF or 0xF900 <= code <= 0xFAFF:
        return 1.1
    if character in _NARROW:
        return 0.34
    if character in _BROAD:
        return 0.9
    return 0.7 if "A" <= character <= "Z" else 0.58


def label(token: str) -> str:
    """The label of a token: readable, and cut with an ellipsis when it is wider than ten em."""
    text = shown(token)
    if text_width(text) <= LONGEST_LABEL:
        return text
    kept = pending = before = ""
    for character in text:
        if not _clings(before, character):
            kept, pending = kept + pending, ""
        if text_width(kept + pending + character) > LONGEST_LABEL - 0.9:
            break
        pending += character
        before = character
    return f"{kept}…"


def _clings(before: str, character: str) -> bool:
    """Does this character belong to the one before it (accent, joined emoji)?"""
    code = ord(character)
    return (
        before == chr(_JOINER)
        or code == _JOINER
        or 0x1F3FB <= code <= 0x1F3FF
        or unicodedata.category(character).startswith("M")
    )
