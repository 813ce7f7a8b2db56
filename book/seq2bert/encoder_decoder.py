"""The encoder-decoder of 2014: one network reads, hands over its last state, another one writes."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from einops import einsum
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.translator import NO_INTERVENTIONS, Attention, Interventions, Tree

RNN = nn.RNN | nn.GRU | nn.LSTM
NETWORKS: dict[str, Callable[..., RNN]] = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}


@dataclass(frozen=True)
class Sizes:
    """How wide a word embedding and a state are, and how much is dropped in training."""

    embedding: int = 64
    hidden: int = 128
    dropout: float = 0.0


def read(
    network: RNN,
    embedded: Float[Tensor, "batch source input"],
    mask: Bool[Tensor, "batch source"],
) -> tuple[Float[Tensor, "batch source hidden"], Tree]:
    """The state at every word, and what the network holds after the last one.

    Padding never reaches a state: a sentence alone and in a padded batch give the same.

    Args:
        network: a recurrent network with one layer, one direction, `batch_first`.
        embedded: word embeddings, shape (batch, source, input).
        mask: True where a word is real; padding stands on the right, each sentence has a word.

    Returns:
        the states h_1..h_n, shape (batch, source, hidden), 0 at padding; and what is handed over:
        ``hidden``, and for an LSTM also ``cell``, each (batch, hidden).
    """
    if isinstance(network, nn.LSTM):
        # torch gives the memory after the last step alone; packed, that is after the last word
        packed = nn.utils.rnn.pack_padded_sequence(
            embedded, mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, after = network(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(
            outputs, batch_first=True, total_length=mask.shape[1]
        )
        return states, from_torch(after)
    states, _ = network(embedded)
    last = (mask.sum(dim=1) - 1).view(-1, 1, 1).expand(-1, 1, states.shape[2])
    return states * mask.unsqueeze(-1), {"hidden": states.gather(1, last)[:, 0]}


def to_torch(state: Tree) -> Tensor | tuple[Tensor, Tensor]:
    """A state as torch's networks take it: with an axis for layers, for an LSTM as a pair."""
    hidden = state["hidden"].unsqueeze(0)
    return (hidden, state["cell"].unsqueeze(0)) if "cell" in state else hidden


def from_torch(state: Tensor | tuple[Tensor, Tensor]) -> Tree:
    """The way back from `to_torch`."""
    parts = state if isinstance(state, tuple) else (state,)
    return {name: part[0] for name, part in zip(("hidden", "cell"), parts, strict=False)}


class EncoderDecoder(nn.Module):
    """Two recurrent networks and one vector between them; a `Translator` (Sutskever et al., 2014).

    The context c is the last state of the encoder, and the decoder's first state is c:
    s_0 = c, s_t = f_dec(s_{t-1}, y_{t-1}), o_t = W_o s_t, l_t = Y o_t + b, where y_0 is `<bos>`, Y
    holds a vector for every word of the target vocabulary, and l_t scores each word for place t.
    An LSTM also hands over its memory. The encoder's outputs on the way are computed and not
    used; the memory holds them as ``annotations`` for whoever wants to look.

    Deviations from the paper, marked in the chapter: one layer (theirs has four), a GRU unless
    told otherwise (theirs is an LSTM), and the source is read forwards (theirs backwards).

    Args:
        source_size: how many tokens the source vocabulary has.
        target_size: how many the target vocabulary has.
        network: "RNN", "GRU" or "LSTM".
        tied: whether Y is the matrix of the target embeddings (Press and Wolf, 2017); otherwise
            it is a matrix of its own.
        sizes: widths and dropout.

    Raises:
        ValueError: there is no such network.
    """

    def __init__(
        self,
        source_size: int,
        target_size: int,
        network: str = "GRU",
        tied: bool = True,
        sizes: Sizes = Sizes(),
    ) -> None:
        super().__init__()
        if network not in NETWORKS:
            raise ValueError(f"there is no network {network!r}; choose from {', '.join(NETWORKS)}")
        make = NETWORKS[network]
        self.source_embedding = nn.Embedding(source_size, sizes.embedding)
        self.target_embedding = nn.Embedding(target_size, sizes.embedding)
        self.encoder = make(sizes.embedding, sizes.hidden, batch_first=True)
        self.decoder = make(sizes.embedding, sizes.hidden, batch_first=True)
        self.project = nn.Linear(sizes.hidden, sizes.embedding, bias=False)
        self.untied = None if tied else nn.Embedding(target_size, sizes.embedding)
        self.bias = nn.Parameter(torch.zeros(target_size))
        self.dropout = nn.Dropout(sizes.dropout)

    @property
    def word_vectors(self) -> Float[Tensor, "vocabulary embedding"]:
        """Y: the vectors that the output is compared with."""
        return (self.untied or self.target_embedding).weight

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> Tree:
        """Read the source: the states on the way, their mask, and the last one."""
        embedded = self.dropout(self.source_embedding(source))
        annotations, context = read(self.encoder, embedded, source_mask)
        return {"annotations": annotations, "mask": source_mask, **context}

    def start(self, memory: Tree) -> Tree:
        """s_0 = c. The output vector is not computed yet: zeros."""
        state = {name: memory[name] for name in ("hidden", "cell") if name in memory}
        hidden = memory["hidden"]
        return state | {"output": hidden.new_zeros(hidden.shape[0], self.project.out_features)}

    def step(
        self,
        token: Int[Tensor, "batch"],
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch vocabulary"], Tree, Attention]:
        """One step of the decoder; there is no attention. The state also holds o_t."""
        word = self.dropout(self.target_embedding(token)).unsqueeze(1)
        states, after = self.decoder(word, to_torch(state))
        output = self.project(self.dropout(states[:, 0]))
        logits = self.logits(output) / interventions.temperature
        return logits.log_softmax(dim=-1), from_torch(after) | {"output": output}, {}

    def logits(
        self, output: Float[Tensor, "*batch embedding"]
    ) -> Float[Tensor, "*batch vocabulary"]:
        """The language-model head: l = Y o + b, the dot product of o with every word's vector."""
        return einsum(output, self.word_vectors, "... e, v e -> ... v") + self.bias

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target_in: Int[Tensor, "batch target"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Attention]:
        """Teacher forcing: every step reads the word that should have been written before it.

        Returns:
            log-probabilities, shape (batch, target, vocabulary), and no attention. Equal to
            `step` taken again and again.
        """
        memory = self.encode(source, source_mask, interventions)
        words = self.dropout(self.target_embedding(target_in))
        states, _ = self.decoder(words, to_torch(memory))
        logits = self.logits(self.project(self.dropout(states)))
        return (logits / interventions.temperature).log_softmax(dim=-1), {}
