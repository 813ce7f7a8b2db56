"""A translation step by step: the states on the way, and what each output vector is nearest to.

For a translator whose state holds ``hidden`` and ``output`` (`seq2bert.encoder_decoder`). A widget
shows a `Walk`; in a notebook the running model makes it, on the site the same model in the
reader's browser.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from seq2bert.encoder_decoder import EncoderDecoder
from seq2bert.tracing import LONGEST_SOURCE, LONGEST_TARGET
from seq2bert.vocabulary import EOS, Vocabulary


@dataclass(frozen=True)
class Likeness:
    """How one word of the vocabulary compares with an output vector o.

    Attributes:
        token: the word.
        dot: Y_v . o, the dot product of its vector with o.
        cosine: the same divided by both lengths; 0 when a length is 0.
        log_prob: of the word, in nats; the bias counts here.
    """

    token: str
    dot: float
    cosine: float
    log_prob: float


@dataclass(frozen=True, eq=False)
class Moment:
    """One step of the decoder.

    Attributes:
        read: the word that it read, y_{t-1}.
        written: the word that it wrote, and the next step reads.
        best: the words with the largest logits, the largest first.
        nearest: the word with the largest cosine.
    """

    read: str
    written: Likeness
    best: tuple[Likeness, ...]
    nearest: Likeness


@dataclass(frozen=True, eq=False)
class Walk:
    """One sentence through encoder and decoder.

    Attributes:
        source: the words that were read, as they were given.
        encoder: h_1..h_n, shape (source, hidden).
        decoder: s_1..s_m, shape (moment, hidden); s_0 is the last row of `encoder`.
        moments: one for each word that was written, `<eos>` included if it came.
    """

    source: tuple[str, ...]
    encoder: Float[Tensor, "source hidden"]
    decoder: Float[Tensor, "moment hidden"]
    moments: tuple[Moment, ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """What was written, without `<eos>`."""
        written = tuple(moment.written.token for moment in self.moments)
        return written[:-1] if written[-1:] == (EOS,) else written


@torch.no_grad()
def walk(
    model: EncoderDecoder,
    source: Sequence[str],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    prefix: Sequence[str] = (),
    words: int = 8,
) -> Walk:
    """Translate one sentence, always taking the likeliest word, and keep every state.

    Args:
        model: in eval mode.
        source: its words; unknown ones are read as `<unk>`.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        prefix: words that the translation must begin with (`<eos>` may be the last).
        words: how many of the best words are kept at each step.

    Raises:
        ValueError: the source is empty or longer than 60 words, or the prefix holds an unknown
            word.
    """
    if isinstance(source, str) or not source:
        raise ValueError(f"the source is {source!r}; expected a list of words, not empty")
    if len(source) > LONGEST_SOURCE:
        raise ValueError(f"{len(source)} words; at most {LONGEST_SOURCE} are translated: shorten")
    unknown = next((word for word in prefix if word not in target_vocabulary), None)
    if unknown is not None:
        raise ValueError(f"the prefix holds {unknown!r}, which is not in the target vocabulary")
    device = model.bias.device
    ids = torch.tensor([source_vocabulary.encode(source)], device=device)
    memory = model.encode(ids, torch.ones_like(ids, dtype=torch.bool))
    state = model.start(memory)
    forced = target_vocabulary.encode(prefix)[: LONGEST_TARGET + 1]
    token, states, moments = target_vocabulary.bos, [], list[Moment]()
    while len(moments) <= LONGEST_TARGET:
        log_probs, state, _ = model.step(torch.tensor([token], device=device), state, memory)
        compared = _compare(model, state["output"][0], log_probs[0], target_vocabulary)
        order = log_probs[0].sort(descending=True, stable=True).indices[:words].tolist()
        chosen = forced[len(moments)] if len(moments) < len(forced) else order[0]
        if len(moments) == LONGEST_TARGET and chosen != target_vocabulary.eos:
            break  # at the limit only <eos> may still come
        nearest = max(range(len(compared)), key=lambda index: compared[index].cosine)
        moments.append(
            Moment(
                target_vocabulary.tokens[token],
                compared[chosen],
                tuple(compared[index] for index in order),
                compared[nearest],
            )
        )
        states.append(state["hidden"][0].cpu())
        token = chosen
        if token == target_vocabulary.eos:
            break
    return Walk(tuple(source), memory["annotations"][0].cpu(), torch.stack(states), tuple(moments))


def _compare(
    model: EncoderDecoder,
    output: Float[Tensor, "embedding"],
    log_probs: Float[Tensor, "vocabulary"],
    vocabulary: Vocabulary,
) -> list[Likeness]:
    """Every word of the vocabulary beside an output vector."""
    dots = model.word_vectors @ output
    lengths = model.word_vectors.norm(dim=1) * output.norm()
    cosines = torch.where(lengths > 0, dots / lengths, 0.0)
    numbers = zip(dots.tolist(), cosines.tolist(), log_probs.tolist(), strict=True)
    return [
        Likeness(token, *three) for token, three in zip(vocabulary.tokens, numbers, strict=True)
    ]
