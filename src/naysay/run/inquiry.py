"""One sentence, or a few, put to any model without a run.

A language model fills the blank; a model that reads sentences compares them. With the negation
added or removed, both versions are asked, so that one sees what a model makes of *not*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from naysay.core.errors import NotAskableError, SpecError
from naysay.core.numbers import percentage
from naysay.core.options import declarations
from naysay.core.probes import BLANK, ChooseClosest, Complete, Fill, FillBlank
from naysay.core.protocols import Model, ModelRequest
from naysay.core.spec import AUTO, RunSpec
from naysay.data.negation import NegationPair, negation_pair
from naysay.run.evaluation import DEFAULT_MODEL, default_model
from naysay.run.examples import probability
from naysay.run.opening import model_name, open_as

SEEN = 1000
"""How many of the model's first words are searched for a word's rank."""
COSINE, LOGPROB = "cosine", "logprob"
_MASKED = ("masked", "permutation", "known")
"""The kinds that need a marked blank, and see what follows it."""
_BLANKS = re.compile(rf"{BLANK}|_{{3,}}|\[mask\]|<mask>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WordChance:
    """A word at the blank: its probability and its rank among all tokens, counted from 0."""

    word: str
    probability: float | None
    rank: int | None
    """None if it is not among the first `SEEN`."""
    problem: str = ""
    """Why it has no probability: it has several tokens, or the server does not return it."""


@dataclass(frozen=True, slots=True)
class Cloze:
    """What a model puts at the blank of one text."""

    text: str
    top: tuple[WordChance, ...]
    words: tuple[WordChance, ...]
    """The words of interest."""
    tie: bool = False

    @property
    def first(self) -> WordChance:
        """The model's first word."""
        return self.top[0]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What one model answers: clozes, or scores of sentences."""

    model: str
    kind: str
    clozes: tuple[Cloze, ...] = ()
    """One; or two, without and with the negation."""
    moves: tuple[tuple[str, float | None, float | None], ...] = ()
    """The first words of both clozes, with their probabilities without and with the negation."""
    scores: tuple[float, ...] = ()
    """Of each sentence but the first, as compared with the first."""
    scale: str = ""
    cut: bool = False
    """Whether a sentence was too long and was read in part."""
    bound: float = 1 / SEEN
    """What a word that is not among the first ones has at most; servers return few of them."""

    @property
    def continues(self) -> bool:
        """Whether the model predicts the token that follows a text, not what is behind a mask."""
        return self.kind not in _MASKED


def _chance(value: float | None, bound: float = 1 / SEEN) -> str:
    """A probability; what is below a thousandth is written alike, whether it is known or not.

    What is not among the first thousand words has less than a thousandth.
    """
    if value is None and bound > 1 / SEEN:
        return f"< {percentage(bound)}"
    return "< 0.1 %" if value is None or value < 1 / SEEN else percentage(value)


@dataclass(frozen=True)
class Inquiry:
    """The sentences, the negation if one was added or removed, and each model's reply."""

    sentences: tuple[str, ...]
    negation: NegationPair | None
    replies: tuple[ModelReply, ...]

    @property
    def conclusions(self) -> tuple[str, ...]:
        """What the negation changed for each model, in one line; nothing if none was changed."""
        return tuple(map(_conclusion, self)) if self.negation else ()

    def __iter__(self) -> Iterator[ModelReply]:
        return iter(self.replies)

    def __len__(self) -> int:
        return len(self.replies)

    def __repr__(self) -> str:
        return f"<Inquiry {' | '.join(self.sentences)}: {'; '.join(self._lines())}>"

    def _lines(self) -> tuple[str, ...]:
        return self.conclusions or tuple(map(_summary, self))

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints: all as plain values."""
        pair = self.negation
        return {
            "sentences": list(self.sentences),
            "negation": None if pair is None else {**asdict(pair), "change": pair.change},
            "models": [asdict(reply) for reply in self],
            "conclusions": list(self.conclusions),
        }

    def _repr_html_(self) -> str:
        """Render the replies as a table, for notebooks."""
        pair = self.negation
        asked = self.sentences if pair is None else (pair.without, pair.negated)
        caption = "<br>".join(map(escape, asked))
        rows = "".join(f"<tr><td>{escape(line)}</td></tr>" for line in self._lines())
        return f"<table><caption>{caption}</caption><tbody>{rows}</tbody></table>"


def _conclusion(reply: ModelReply) -> str:
    """Say what the negation changed."""
    if reply.scores:
        return f"{reply.model}: {reply.scale} {reply.scores[0]:.3f} between x and not x"
    moved = [
        f'"{word}" ({_chance(p, reply.bound)} → {_chance(q, reply.bound)})'
        for word, p, q in reply.moves
    ]
    tie = "; a tie" if any(cloze.tie for cloze in reply.clozes) else ""
    if len(moved) == 1:
        return f"{reply.model}: the same first word with and without the negation, {moved[0]}{tie}"
    before, after = moved
    return f"{reply.model}: another first word with the negation, {after}, not {before}{tie}"


def _summary(reply: ModelReply) -> str:
    if reply.clozes:
        words = (f"{one.word} {_chance(one.probability)}" for one in reply.clozes[0].top)
        return f"{reply.model}: {', '.join(words)}"
    return f"{reply.model}: {reply.scale} {', '.join(f'{score:.3f}' for score in reply.scores)}"


def inquire(
    sentences: Sequence[str],
    models: Sequence[Any] = (),
    *,
    negate: bool = False,
    sentence: int | None = None,
    top: int = 5,
    words: Sequence[str] = (),
    language: str = "en",
    precision: str = AUTO,
    device: str = "auto",
    tokenizer: Any = None,
    options: Mapping[str, Any] | None = None,
) -> Inquiry:
    """Ask each model in turn; whatever does not fit is refused before any model is loaded."""
    texts = tuple(with_blank(text) for text in sentences)
    _check(texts, negate, sentence, top)
    pair = negation_pair(texts[0], language, sentence) if negate else None
    words = tuple(dict.fromkeys(word for word in words if word))
    declarations(RunSpec)["precision"].checked(precision)
    request = ModelRequest(
        precision=precision, device=device, language=language, options=dict(options or {})
    )
    opened = [
        open_as(model, model if isinstance(model, str) else model_name(model), request, tokenizer)
        for model in models or default_models()
    ]
    for model in opened:
        check_model(model, texts, words)
    replies = []
    for model in opened:
        try:
            model.prepare()
            replies.append(_reply(model, texts, pair, top, words))
        finally:
            model.close()
    return Inquiry(texts, pair, tuple(replies))


def default_models() -> tuple[str, str]:
    """Return the two controls that come with naysay: one is sensitive to negation, one is not."""
    if default_model() == DEFAULT_MODEL:
        return "mini-aware", "mini-blind"
    return "known:aware", "known:blind"


def with_blank(text: str) -> str:
    """Return the text with its blank as ▢, however it was typed.

    >>> with_blank("She is happy to ___."), with_blank("It is [MASK]."), with_blank("It is so.")
    ('She is happy to ▢.', 'It is ▢.', 'It is so.')
    """
    if not text.strip():
        raise SpecError("the sentence is empty")
    return _BLANKS.sub(BLANK, text.strip())


def _check(texts: Sequence[str], negate: bool, sentence: int | None, top: int) -> None:
    if not texts:
        raise SpecError('give a sentence: naysay ask "She is happy to ▢."')
    if any(text.count(BLANK) > 1 for text in texts):
        raise SpecError("a sentence has several blanks: mark one")
    if len(texts) > 1 and any(BLANK in text for text in texts):
        raise SpecError(
            "several sentences are compared, and have no blank: put all in one argument"
        )
    if len(texts) > 1 and negate:
        raise SpecError("--negate takes one sentence; of several, give both versions yourself")
    if sentence is not None and not negate:
        raise SpecError("--sentence says which sentence --negate changes: add --negate")
    if not 1 <= top <= SEEN:
        raise SpecError(f"--top must be a whole number from 1 to {SEEN}, not {top}")


def _compares(model: Model, texts: Sequence[str]) -> bool:
    """Return whether the model is asked for scores of sentences, not for words at a blank."""
    if len(texts) > 1:
        return True
    return BLANK not in texts[0] and FillBlank not in model.answers


def check_model(model: Model, texts: Sequence[str], words: Sequence[str]) -> None:
    """Refuse what this kind of model cannot answer."""
    name = model.name
    if len(texts) > 1:
        if model.kind == "known" and len(texts) == 2:
            raise NotAskableError(f"{name} compares a sentence with several ones: give three")
        if not model.answers & {ChooseClosest, Complete}:
            raise NotAskableError(
                f"{name} fills blanks and does not compare sentences: mark a blank with ▢ or ___ "
                "in one sentence, or choose an embedder such as -m minilm"
            )
        return
    if FillBlank not in model.answers:
        if BLANK in texts[0]:
            raise NotAskableError(f"{name} fills no blanks: give it two sentences, or --negate one")
        return
    if model.kind in _MASKED and BLANK not in texts[0]:
        raise NotAskableError(
            f"{name} needs a blank in the sentence: mark it with ▢, ___, [MASK] or <mask>"
        )
    if model.kind == "known" and not words:
        raise NotAskableError(f"{name} is a rule about an expected word: give it with --words")
    if model.kind not in _MASKED and re.search(r"\w", texts[0].partition(BLANK)[2]):
        raise NotAskableError(
            f"{name} predicts what follows a text: put the blank at the end of the sentence"
        )


def _reply(
    model: Model, texts: Sequence[str], pair: NegationPair | None, top: int, words: Sequence[str]
) -> ModelReply:
    if _compares(model, texts):
        text, *others = texts if pair is None else (pair.without, pair.negated)
        return compared(model, text, tuple(others))
    asked = [texts[0]] if pair is None else [pair.without, pair.negated]
    asked = [text if BLANK in text else f"{text} {BLANK}" for text in asked]
    probes = [FillBlank(text, tuple(words), top_k=SEEN) for text in asked]
    fills: list[Fill] = model.ask(probes)
    clozes = tuple(
        _cloze(model, probe, fill, top) for probe, fill in zip(probes, fills, strict=True)
    )
    bound = max((probability(fill.top[-1].logprob) for fill in fills if fill.top), default=1.0)
    moves = _moves(fills) if pair else ()
    return ModelReply(model.name, model.kind, clozes, moves, bound=bound)


def compared(model: Model, text: str, others: tuple[str, ...]) -> ModelReply:
    """Ask an open model how similar each of the other texts is to the first."""
    about = ChooseClosest(text, others)
    if ChooseClosest in model.answers:
        [closest] = model.ask([about])
        return ModelReply(
            model.name, model.kind, scores=closest.scores, scale=closest.scale, cut=closest.cut
        )
    [completion] = model.ask([Complete(text, others, about)])
    scores = tuple(logprob for logprob in completion.logprobs if logprob is not None)
    if not completion.known:
        raise NotAskableError(f"{model.name} does not tell how likely all of these sentences are")
    return ModelReply(model.name, model.kind, scores=scores, scale=LOGPROB)


def _cloze(model: Model, probe: FillBlank, fill: Fill, top: int) -> Cloze:
    ranks: dict[str, int] = {}
    for rank, guess in enumerate(fill.top):
        ranks.setdefault(guess.word, rank)
    pieces = model.single_pieces(probe.words, probe.text) if probe.words else {}
    words = [
        WordChance(word, probability(score), ranks.get(word))
        if score is not None
        else WordChance(word, None, None, _problem(pieces[word].pieces, pieces[word].problem))
        for word, score in zip(probe.words, fill.scores, strict=True)
    ]
    first = [
        WordChance(guess.word, probability(guess.logprob), rank)
        for rank, guess in enumerate(fill.top[:top])
    ]
    return Cloze(probe.text, tuple(first), tuple(words), fill.tie)


def _problem(pieces: Sequence[str], problem: str | None) -> str:
    if len(pieces) > 1:
        return f"{len(pieces)} tokens"
    return problem or "not among the tokens that the server returns"


def _moves(fills: Sequence[Fill]) -> tuple[tuple[str, float | None, float | None], ...]:
    """Return the first words of both, each with its two probabilities."""
    without, negated = (
        {guess.word: probability(guess.logprob) for guess in reversed(fill.top)} for fill in fills
    )
    firsts = dict.fromkeys(fill.best for fill in fills)
    return tuple((word, without.get(word), negated.get(word)) for word in firsts)
