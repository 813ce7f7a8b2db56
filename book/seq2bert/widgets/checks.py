"""What a widget that shows attention maps accepts, and what it says about the rest."""

from __future__ import annotations

from collections.abc import Mapping

from seq2bert.attention_map import AttentionMap

LARGEST = 22_500
"""Most cells that one picture may have: 150 queries x 150 keys."""


def checked_maps(maps: object) -> dict[str, AttentionMap]:
    """One map, or several by title, as maps by title.

    Raises:
        ValueError: there is no map, or something that is no `AttentionMap`, or one too large.
    """
    named = {"": maps} if isinstance(maps, AttentionMap) else maps
    if not isinstance(named, Mapping):
        raise ValueError(
            f"maps is a {type(maps).__name__}; give an AttentionMap, or a dict that maps titles to "
            "AttentionMaps"
        )
    if not named:
        raise ValueError("maps is empty; give at least one AttentionMap")
    for title, attention in named.items():
        if not isinstance(attention, AttentionMap):
            raise ValueError(
                f"maps[{title!r}] is a {type(attention).__name__}; wrap the weights and their "
                "tokens in an AttentionMap"
            )
        queries, keys = attention.shape[2:]
        if queries * keys > LARGEST:
            raise ValueError(
                f"maps[{title!r}] has {queries} queries x {keys} keys; a picture holds at most "
                f"{LARGEST} cells: cut the weights and the tokens to the part that you want to see"
            )
    return {str(title): attention for title, attention in named.items()}


def within(name: str, value: int, least: int, size: int) -> int:
    """A choice, if it exists.

    Raises:
        ValueError: it does not.
    """
    if not least <= value < size:
        raise ValueError(f"{name} is {value}; this widget has {name} {least} to {size - 1}")
    return value
