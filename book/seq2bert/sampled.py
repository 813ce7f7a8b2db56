"""Writing translations with any rule that chooses the next word: sampling, or the likeliest."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from seq2bert.attention_map import Kind
from seq2bert.batching import pad
from seq2bert.decoding import Translation
from seq2bert.translator import NO_INTERVENTIONS, Interventions, Translator, Tree
from seq2bert.vocabulary import EOS, Vocabulary

Choose = Callable[[Float[Tensor, "batch vocabulary"]], Int[Tensor, "batch"]]
"""From the log-probabilities of the next word of each sentence to a word for each."""


@torch.no_grad()
def write(
    model: Translator,
    sources: Sequence[Sequence[str]],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    choose: Choose,
    max_length: int = 60,
    interventions: Interventions = NO_INTERVENTIONS,
) -> list[Translation]:
    """Translate sentences, each next word by `choose`, until `<eos>`.

    With `choose=lambda log_probs: log_probs.argmax(-1)` this is `decoding.greedy`; with
    `seq2bert.sampling` it draws: `lambda log_probs: sample(top_k(log_probs, 5))`. To draw several
    translations of a sentence give it several times.

    Lengths are counted as in `decoding.greedy`: `max_length` counts words, `<eos>` is not one. A
    sentence of `max_length` words may still be ended: the rule chooses once more, and only `<eos>`
    counts; after anything else the sentence stays unfinished. What is finished is never continued.

    Args:
        model: a translator in eval mode.
        sources: sentences as tokens, each at least one.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        choose: from log-probabilities, shape (batch, vocabulary), to ids, shape (batch). It is
            also asked for sentences that are finished already; what it says there is ignored.
        max_length: at most so many words are written; at least 1.
        interventions: changes to the running model.

    Returns:
        a translation for each source, in order; its `log_prob` is what the *model* gives to what
        was written (and to `<eos>` if it came), whatever rule chose it.

    Raises:
        ValueError: there are no sources, one is empty or a string, the limit is not positive, or
            `choose` gives anything but an id for each sentence.
    """
    if max_length < 1:
        raise ValueError(f"max_length is {max_length}; expected at least 1")
    for index, words in enumerate(sources):
        if isinstance(words, str) or not words:
            raise ValueError(f"source {index} is {words!r}; expected a list of tokens, not empty")
    ids, mask = pad([source_vocabulary.encode(s) for s in sources], source_vocabulary.pad)
    parameters = model.parameters() if isinstance(model, nn.Module) else iter(())
    first = next(parameters, None)
    device = first.device if first is not None else torch.device("cpu")
    memory = model.encode(ids.to(device), mask.to(device), interventions)
    state, count = model.start(memory), len(sources)
    token = torch.full((count,), target_vocabulary.bos, device=device)
    running = torch.ones(count, dtype=torch.bool, device=device)
    log_prob = torch.zeros(count, device=device)
    length = torch.zeros(count, dtype=torch.long, device=device)
    written: list[Tensor] = []
    steps: list[dict[Kind, Tensor]] = []
    for position in range(max_length + 1):
        log_probs, state, attention = model.step(token, state, memory, interventions)
        token = choose(log_probs)
        _check(token, log_probs)
        if position == max_length:  # at the limit only <eos> may still come
            running = running & (token == target_vocabulary.eos)
        chosen = log_probs.gather(1, token.unsqueeze(1)).squeeze(1)
        log_prob = log_prob + chosen.masked_fill(~running, 0.0)
        length = length + running
        written.append(token)
        steps.append(attention)
        running = running & (token != target_vocabulary.eos)
        if not running.any():
            break
    table = torch.stack(written, dim=1).tolist()
    weights = {kind: torch.cat([step[kind] for step in steps], dim=3).cpu() for kind in steps[0]}
    translations = []
    for row, source in enumerate(sources):
        kept: list[int] = table[row][: int(length[row])]
        finished = bool(kept) and kept[-1] == target_vocabulary.eos
        tokens = target_vocabulary.decode(kept[:-1] if finished else kept)
        maps = {kind: w[row, :, :, : len(kept), : len(source)] for kind, w in weights.items()}
        translations.append(
            Translation(tuple(source), tokens, float(log_prob[row]), finished, maps)
        )
    return translations


@torch.no_grad()
def next_word(
    model: Translator, memory: Tree, vocabulary: Vocabulary, prefix: Sequence[str] = ()
) -> Float[Tensor, "vocabulary"]:
    """The distribution of the word after a beginning, as log-probabilities.

    Args:
        model: a translator in eval mode.
        memory: what `model.encode` gave for one sentence (batch 1).
        vocabulary: of the target.
        prefix: the words that are there already.

    Raises:
        ValueError: the vocabulary does not have one of the words, or `<eos>` is among them.
    """
    for word in prefix:
        if word not in vocabulary or word == EOS:
            raise ValueError(f"nothing follows {word!r}; expected words of the vocabulary")
    state = model.start(memory)
    device = memory["mask"].device
    log_probs: Tensor | None = None
    for token in [vocabulary.bos, *vocabulary.encode(prefix)]:
        log_probs, state, _ = model.step(torch.tensor([token], device=device), state, memory)
    assert log_probs is not None
    return log_probs[0].cpu()


def _check(token: Tensor, log_probs: Tensor) -> None:
    expected = (len(log_probs),)
    if token.shape != expected or token.dtype != torch.long:
        raise ValueError(
            f"choose gave {token.dtype} of shape {tuple(token.shape)}; expected an id (torch.long) "
            f"for each sentence, shape {expected}"
        )
