"""Our Transformer beside one around `torch.nn.Transformer` of the same size, on one thread.

Training: target tokens a second, forward, backward and step of the optimizer, on the same batches.
Decoding: seconds for a batch of sentences with the KV cache, without it, and with torch's layers,
which have none.
"""

import time

import torch
from torch import nn

from seq2bert import corpus
from seq2bert.batching import make_batches
from seq2bert.positions import sinusoidal
from seq2bert.training import cross_entropy
from seq2bert.transformer import Sizes, Transformer
from seq2bert.vocabulary import Vocabulary

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
SIZES = Sizes()
ROUNDS = 5
WRITTEN = 40


class Peer(nn.Module):
    """The same translator with torch's layers."""

    def __init__(self):
        super().__init__()
        self.source = nn.Embedding(len(ENGLISH), SIZES.width)
        self.target = nn.Embedding(len(FRENCH), SIZES.width)
        self.register_buffer("places", sinusoidal(SIZES.most, SIZES.width))
        self.layers = nn.Transformer(
            SIZES.width,
            SIZES.heads,
            SIZES.layers,
            SIZES.layers,
            SIZES.hidden,
            dropout=0.0,
            batch_first=True,
            norm_first=True,
        )
        self.bias = nn.Parameter(torch.zeros(len(FRENCH)))

    def forward(self, source, source_mask, target_in):
        length = target_in.shape[1]
        words = [
            table(ids) * SIZES.width**0.5 + self.places[: ids.shape[1]]
            for table, ids in ((self.source, source), (self.target, target_in))
        ]
        blind = torch.ones(length, length, dtype=torch.bool).triu(1)
        found = self.layers(
            *words,
            tgt_mask=blind,
            src_key_padding_mask=~source_mask,
            memory_key_padding_mask=~source_mask,
            tgt_is_causal=True,
        )
        return (found @ self.target.weight.T + self.bias).log_softmax(-1), {}


def trained(model, batches):
    """Seconds for one pass over some batches."""
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
    began = time.perf_counter()
    for batch in batches:
        log_probs, _ = model(batch.source, batch.source_mask, batch.target_in)
        optimizer.zero_grad()
        cross_entropy(log_probs, batch.target_out, batch.target_mask).backward()
        optimizer.step()
    return time.perf_counter() - began


def fastest(calls):
    """For each call its least seconds; the calls take turns, so that all meet the same machine."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            least[name] = min(least[name], call())
    return least


def models():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    return {"this book": Transformer(len(ENGLISH), len(FRENCH)), "torch.nn": Peer()}


def test_tokens_a_second_in_training(capsys):
    batches = make_batches(corpus.pairs("train", 1_600), ENGLISH, FRENCH, batch_size=32)
    tokens = sum(int(batch.target_mask.sum()) for batch in batches)
    both = models()
    seconds = fastest({name: lambda m=m: trained(m, batches) for name, m in both.items()})
    ratio = seconds["torch.nn"] / seconds["this book"]
    with capsys.disabled():
        print(f"\n{'training':12}{'tokens a second':>18}{'parameters':>14}")
        for name, spent in seconds.items():
            count = sum(p.numel() for p in both[name].parameters())
            print(f"{name:12}{tokens / spent:18,.0f}{count:14,}")
        print(f"this book / torch.nn: {ratio:.2f} (aim: at least 1)")
    assert ratio > 0.7


@torch.no_grad()
def test_seconds_to_decode(capsys):
    both = {name: model.eval() for name, model in models().items()}
    batch = make_batches(corpus.pairs("test", 32), ENGLISH, FRENCH, batch_size=32)[0]
    ours, peer = both["this book"], both["torch.nn"]

    def with_cache():
        began = time.perf_counter()
        memory = ours.encode(batch.source, batch.source_mask)
        state = ours.start(memory)
        token = torch.full((32,), FRENCH.bos)
        for _ in range(WRITTEN):
            log_probs, state, _ = ours.step(token, state, memory)
            token = log_probs.argmax(-1)
        return time.perf_counter() - began

    def without_cache():
        began = time.perf_counter()
        memory = ours.encode(batch.source, batch.source_mask)
        written = torch.full((32, 1), FRENCH.bos)
        for _ in range(WRITTEN):
            logits, _, _ = ours.write(written, ours.start(memory), memory)
            written = torch.cat([written, logits[:, -1:].argmax(-1)], dim=1)
        return time.perf_counter() - began

    def as_torch_does():
        began = time.perf_counter()
        written = torch.full((32, 1), FRENCH.bos)
        for _ in range(WRITTEN):
            log_probs, _ = peer(batch.source, batch.source_mask, written)
            written = torch.cat([written, log_probs[:, -1:].argmax(-1)], dim=1)
        return time.perf_counter() - began

    seconds = fastest(
        {"with cache": with_cache, "without": without_cache, "torch.nn": as_torch_does}
    )
    with capsys.disabled():
        print(f"\n32 sentences of {WRITTEN} words")
        for name, spent in seconds.items():
            print(f"{name:12}{spent:8.3f} s{spent / seconds['with cache']:8.1f} times")
    assert seconds["without"] > 2 * seconds["with cache"]
    assert seconds["torch.nn"] > 2 * seconds["with cache"]
