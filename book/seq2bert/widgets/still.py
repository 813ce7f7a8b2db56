"""The translate widget where nothing runs: the parts of the live one, at rest."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from seq2bert import pictures
from seq2bert.attention_map import AttentionMap
from seq2bert.labels import shown
from seq2bert.vocabulary import EOS

STATUS = "The field comes to life where scripts or a kernel run."


def translate_html(source: Sequence[str], attention: AttentionMap) -> str:
    """A sentence, its translation, and the picture and table of what was looked at.

    Args:
        source: the words of the sentence.
        attention: of each written token.
    """
    words = "".join(
        f'<li><span class="s2b-out-word{" s2b-end" if token == EOS else ""}">'
        f"<bdi>{'end' if token == EOS else escape(shown(token))}</bdi></span></li>"
        for token in attention.query_tokens
    )
    return (
        '<figure style="margin:0"><div class="s2b s2b-translate s2b-at-rest">'
        '<div class="s2b-field"><span class="s2b-ask">Type an English sentence</span>'
        f'<span class="s2b-input">{escape(" ".join(source))}</span>'
        # where the live widget has words to tap, choices, and lines of its own
        '<div class="s2b-strip-words"></div></div><div class="s2b-bar s2b-ask-bar"></div>'
        f'<p class="s2b-status">{STATUS}</p><p class="s2b-note"></p><div class="s2b-bar"></div>'
        f'<div class="s2b-said"><ol class="s2b-out" aria-label="Translation">{words}</ol>'
        '<div class="s2b-steps"></div></div>'
        f"{pictures.figure_html(attention, below='<div class=s2b-panel></div>')}</div></figure>"
    )
