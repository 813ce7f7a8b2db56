"""The recurrent translator: with a fixed context vector (2014) and with attention (2015)."""

from dataclasses import dataclass

import torch
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.attention import AdditiveAttention
from seq2bert.translator import NO_INTERVENTIONS, Attention, Interventions, Tree


def reverse_padded(
    sequence: Float[Tensor, "batch length size"], mask: Bool[Tensor, "batch length"]
) -> Float[Tensor, "batch length size"]:
    """Each sentence backwards, its padding left where it is (on the right).

    Args:
        sequence: vectors, shape (batch, length, size).
        mask: True where a vector is real; padding stands on the right.

    Returns:
        the same shape; the last real vector of each row comes first. Done twice, it undoes itself.
    """
    place = torch.arange(mask.shape[1], device=mask.device)
    last = mask.sum(dim=1, keepdim=True) - 1
    mirrored = torch.where(place <= last, last - place, place)
    return sequence.gather(1, mirrored.unsqueeze(-1).expand(-1, -1, sequence.shape[2]))


class BidirectionalEncoder(nn.Module):
    """Two GRUs read the source, one from each end (Bahdanau et al., 2015, section 3.2).

    The backward one reads each sentence reversed without its padding, so that padding never
    reaches a state: a sentence alone and the same sentence in a padded batch give the same.

    Args:
        input_size: width of a word embedding.
        hidden_size: width of a state of either direction.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.forwards = nn.GRU(input_size, hidden_size, batch_first=True)
        self.backwards = nn.GRU(input_size, hidden_size, batch_first=True)

    def forward(
        self, embedded: Float[Tensor, "batch source input"], mask: Bool[Tensor, "batch source"]
    ) -> Float[Tensor, "batch source annotation"]:
        """The annotations h_j = [forward state; backward state].

        Args:
            embedded: word embeddings, shape (batch, source, input).
            mask: True where a word is real.

        Returns:
            annotations, shape (batch, source, 2 * hidden); 0 at padding.
        """
        forward_states, _ = self.forwards(embedded)
        backward_states, _ = self.backwards(reverse_padded(embedded, mask))
        annotations = torch.cat([forward_states, reverse_padded(backward_states, mask)], dim=-1)
        return annotations * mask.unsqueeze(-1)


def final_states(
    annotations: Float[Tensor, "batch source annotation"], mask: Bool[Tensor, "batch source"]
) -> Float[Tensor, "batch annotation"]:
    """What each direction holds after it has read the whole sentence.

    Args:
        annotations: [forward state; backward state] of each word.
        mask: True where a word is real.

    Returns:
        [forward state of the last word; backward state of the first], shape (batch, 2 * hidden);
        0 for a sentence without words.
    """
    last = (mask.sum(dim=1) - 1).clamp_min(0)
    at_last = annotations.gather(1, last.view(-1, 1, 1).expand(-1, 1, annotations.shape[2]))
    forward_state = at_last[:, 0].chunk(2, dim=-1)[0]
    backward_state = annotations[:, 0].chunk(2, dim=-1)[1]
    return torch.cat([forward_state, backward_state], dim=-1)


class FixedContext(nn.Module):
    """The context of 2014: one vector, the same at every step (Cho et al., 2014).

    Theirs is the last state of a forward reader; here both directions take part.
    """

    def prepare(self, memory: Tree) -> Tree:
        """Nothing to prepare: the memory is used as it is."""
        return memory

    def forward(
        self,
        state: Float[Tensor, "batch hidden"],
        word: Float[Tensor, "batch embedding"],
        memory: Tree,
        interventions: Interventions,
    ) -> tuple[Float[Tensor, "batch annotation"], Attention]:
        """The final states of the encoder, whatever the state of the decoder; no attention."""
        return memory["summary"], {}


class SoftAlignment(nn.Module):
    """The context of 2015: a new one at every step, read where the query points.

    Args:
        state_size: width of the decoder's state.
        word_size: width of a target word embedding.
        annotation_size: width of an annotation.
        energy_size: width of the hidden layer of the alignment model.
        query_sees_word: whether the previous word takes part in the question. The published model
            asks with the previous state alone; this is our deviation from it.
    """

    def __init__(
        self,
        state_size: int,
        word_size: int,
        annotation_size: int,
        energy_size: int,
        query_sees_word: bool,
    ) -> None:
        super().__init__()
        self.query_sees_word = query_sees_word
        query_size = state_size + word_size if query_sees_word else state_size
        self.attention = AdditiveAttention(query_size, annotation_size, energy_size)

    def prepare(self, memory: Tree) -> Tree:
        """Compute U h once for the sentence: it is the same at every step."""
        return memory | {"key": self.attention.key(memory["annotations"])}

    def forward(
        self,
        state: Float[Tensor, "batch hidden"],
        word: Float[Tensor, "batch embedding"],
        memory: Tree,
        interventions: Interventions,
    ) -> tuple[Float[Tensor, "batch annotation"], Attention]:
        """The context c_t from s_{t-1} (and y_{t-1}), with the weights that made it."""
        query = torch.cat([state, word], dim=-1) if self.query_sees_word else state
        context, weights = self.attention(
            rearrange(query, "b q -> b 1 q"),
            memory["key"],
            memory["annotations"],
            rearrange(memory["mask"], "b k -> b 1 k"),
            interventions.scale,
        )
        if "cross" in interventions.head_mask:
            context = context * interventions.head_mask["cross"][0, 0]
        return context[:, 0], {"cross": rearrange(weights, "b q k -> b 1 1 q k")}


@dataclass(frozen=True)
class Sizes:
    """How wide the parts of a recurrent translator are, and how much is dropped in training."""

    embedding: int = 64
    hidden: int = 96
    energy: int = 48
    dropout: float = 0.0


class RecurrentTranslator(nn.Module):
    """An encoder, a decoder, and a context that connects them; a `Translator`.

    Deviations from the published decoder, all marked in the chapter: the output is computed from
    the new state s_t (the appendix of Bahdanau et al. uses s_{t-1}) through a tanh layer (theirs is
    a maxout layer), and PyTorch's GRU applies the reset gate after the matrix product.

    Args:
        source_size: how many tokens the source vocabulary has.
        target_size: how many the target vocabulary has.
        context: `FixedContext` or `SoftAlignment`.
        sizes: widths and dropout.
    """

    def __init__(
        self,
        source_size: int,
        target_size: int,
        context: FixedContext | SoftAlignment,
        sizes: Sizes = Sizes(),
    ) -> None:
        super().__init__()
        annotation_size = 2 * sizes.hidden
        self.source_embedding = nn.Embedding(source_size, sizes.embedding)
        self.target_embedding = nn.Embedding(target_size, sizes.embedding)
        self.encoder = BidirectionalEncoder(sizes.embedding, sizes.hidden)
        self.initial = nn.Linear(sizes.hidden, sizes.hidden)
        self.context = context
        self.decoder = nn.GRUCell(sizes.embedding + annotation_size, sizes.hidden)
        self.hidden = nn.Linear(sizes.hidden + annotation_size + sizes.embedding, sizes.embedding)
        self.output = nn.Linear(sizes.embedding, target_size)
        self.dropout = nn.Dropout(sizes.dropout)

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> Tree:
        """Read the source: annotations, their mask, and the final states as a summary."""
        embedded = self.dropout(self.source_embedding(source))
        annotations = self.encoder(embedded, source_mask)
        memory = {
            "annotations": annotations,
            "mask": source_mask,
            "summary": final_states(annotations, source_mask),
        }
        return self.context.prepare(memory)

    def start(self, memory: Tree) -> Tree:
        """s_0 = tanh(W h), h the backward state of the first word (appendix A.2.2)."""
        _, backward_state = memory["summary"].chunk(2, dim=-1)
        return {"hidden": self.initial(backward_state).tanh()}

    def step(
        self,
        token: Int[Tensor, "batch"],
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch vocabulary"], Tree, Attention]:
        """One step: ask, read, advance, and say what may come next."""
        word = self.dropout(self.target_embedding(token))
        hidden, context, attention = self.advance(word, state["hidden"], memory, interventions)
        logits = self.logits(hidden, context, word) / interventions.temperature
        return logits.log_softmax(dim=-1), {"hidden": hidden}, attention

    def advance(
        self,
        word: Float[Tensor, "batch embedding"],
        hidden: Float[Tensor, "batch hidden"],
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch hidden"], Float[Tensor, "batch annotation"], Attention]:
        """s_t = f(s_{t-1}, y_{t-1}, c_t), with c_t and the attention that made it."""
        context, attention = self.context(hidden, word, memory, interventions)
        return self.decoder(torch.cat([word, context], dim=-1), hidden), context, attention

    def logits(
        self,
        hidden: Float[Tensor, "*batch hidden"],
        context: Float[Tensor, "*batch annotation"],
        word: Float[Tensor, "*batch embedding"],
    ) -> Float[Tensor, "*batch vocabulary"]:
        """A score for every target word, from s_t, c_t and y_{t-1}."""
        features = self.hidden(torch.cat([hidden, context, word], dim=-1)).tanh()
        logits: Tensor = self.output(self.dropout(features))
        return logits

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target_in: Int[Tensor, "batch target"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Attention]:
        """Teacher forcing: every step reads the word that should have been written before it.

        Returns:
            log-probabilities, shape (batch, target, vocabulary), and the attention of all steps,
            shape (batch, 1, 1, target, source) for each kind. Equal to `step` taken again and
            again; only the output layer is computed for all steps at once.
        """
        memory = self.encode(source, source_mask, interventions)
        hidden = self.start(memory)["hidden"]
        words = self.dropout(self.target_embedding(target_in))
        hiddens, contexts, attentions = [], [], []
        for word in words.unbind(dim=1):
            hidden, context, attention = self.advance(word, hidden, memory, interventions)
            hiddens.append(hidden)
            contexts.append(context)
            attentions.append(attention)
        logits = self.logits(torch.stack(hiddens, dim=1), torch.stack(contexts, dim=1), words)
        weights: Attention = {
            kind: torch.cat([step[kind] for step in attentions], dim=3) for kind in attentions[0]
        }
        return (logits / interventions.temperature).log_softmax(dim=-1), weights


def without_attention(
    source_size: int,
    target_size: int,
    sizes: Sizes = Sizes(),
) -> RecurrentTranslator:
    """The translator of 2014: everything it knows of the source is one vector."""
    return RecurrentTranslator(source_size, target_size, FixedContext(), sizes)


def with_attention(
    source_size: int,
    target_size: int,
    sizes: Sizes = Sizes(),
    query_sees_word: bool = True,
) -> RecurrentTranslator:
    """The translator of 2015; with `query_sees_word=False` it asks as published."""
    context = SoftAlignment(
        sizes.hidden, sizes.embedding, 2 * sizes.hidden, sizes.energy, query_sees_word
    )
    return RecurrentTranslator(source_size, target_size, context, sizes)
