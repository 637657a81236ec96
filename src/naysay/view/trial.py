"""Trying a model: one's own sentence, with and without *not*, and with a word of degree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from naysay.core.errors import NotAskableError, SpecError, UnknownNameError
from naysay.core.numbers import percentage
from naysay.core.probes import BLANK, Fill, FillBlank
from naysay.core.protocols import Model, ModelRequest
from naysay.data.intensification import intensifier_of
from naysay.data.languages import LANGUAGES
from naysay.models import open_model
from naysay.models.files.weights import SHIPPED
from naysay.models.files.wheels import WHEELS, folder_of
from naysay.reports.examples import bar_length, shown_score
from naysay.run.examples import probability
from naysay.run.inquiry import SEEN, check_model, compared, default_models
from naysay.view.links import Links
from naysay.view.loading import ModelThread, SupersededError
from naysay.view.pairs import pieces
from naysay.view.templates import ASSETS, Place
from naysay.view.versions import Question, Versions, versions_of

if TYPE_CHECKING:
    from naysay.view.site import Site

TOP = 8
"""How many words are shown for each version of a sentence."""
KEPT_WORDS = 3
"""How many of the plain version's words are shown for every version."""
_READY = ASSETS / "sentences.toml"
_LONGEST = 2_000  # letters


class ItemQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """An item of a run, to be asked again."""

    client: str
    model: str
    run: str
    suite: str
    file: str
    row: int
    left: str = ""
    right: str = ""


@dataclass(frozen=True)
class TriedWord:
    """A word at the blank of one version, and how it moved from the first version."""

    word: str
    shown: str
    share: float
    change: str = ""
    up: bool | None = None


@dataclass(frozen=True)
class TriedVersion:
    """One version of the sentence, what differs from the first, and what the model says."""

    label: str
    pieces: tuple[tuple[str, bool], ...]
    words: tuple[TriedWord, ...]
    followed: tuple[TriedWord, ...] = ()
    """The words that the reader wants to see in any case."""


class Trial:
    """The models that can be tried, and their answers."""

    def __init__(
        self,
        models: Sequence[str] = (),
        opening: Callable[[str, ModelRequest], Model] = open_model,
    ) -> None:
        """Offer these models beside those that are here already."""
        self._models = ModelThread(opening)
        self._offered = dict.fromkeys(models, "") | offered_models()

    def names(self) -> frozenset[str]:
        """Return the names of all models that can be tried."""
        return frozenset(self._offered)

    def state(self, model: str) -> dict[str, Any]:
        """Return whether a model is loaded."""
        return self._models.state(model)

    def close(self) -> None:
        """Let go of the models."""
        self._models.close()

    def page(self, site: Site, links: Links) -> str:
        """The page where a model is tried."""
        languages = {
            one.code: (str(one.about["name"]), intensifier_of(one.code))
            for one in LANGUAGES.all()
            if one.negator
        }
        return site.draw(
            "try.html",
            Place("Try it", "try", "Type a sentence with a blank, and see what “not” changes."),
            links,
            models=self._offered,
            languages=languages,
            ready=ready_sentences(),
        )

    def ask(self, given: Any) -> dict[str, Any]:
        """Answer a question: the versions of the sentence, side by side, as HTML."""
        asked = _checked(given, Question)
        self._known(asked.model)
        versions = versions_of(asked)  # what cannot be asked is refused before a model is loaded
        return self._done(asked.client, asked.model, lambda model: _reply(model, asked, versions))

    def again(self, site: Site, given: Any) -> dict[str, Any]:
        """Ask the model of a run about one of its items again."""
        asked = _checked(given, ItemQuestion)
        self._known(asked.model)
        run = site.folder.find(asked.run)
        if run.model != asked.model:
            raise SpecError(f"{run.folder.name} is a run of {run.model}, not of {asked.model}")

        def job(model: Model) -> dict[str, Any]:
            suite = site.suite(run, asked.suite)
            sides = [asked.left, asked.right]
            pair = site.pairs.read(run, suite, asked.file, asked.row, sides, model)
            same = model.digest == run.read().model.get("digest")
            return {"html": site.fragment("again.html", pair=pair, same=same)}

        return self._done(asked.client, asked.model, job)

    def _known(self, model: str) -> None:
        if model not in self._offered:
            raise UnknownNameError("model", model, self._offered, "Offer it with -m.")

    def _done(self, client: str, model: str, job: Callable[[Model], Any]) -> dict[str, Any]:
        try:
            found: dict[str, Any] = self._models.submit(client, model, job).result()
            return found
        except SupersededError:
            return {"superseded": True}


def offered_models() -> dict[str, str]:
    """Return the models that are on this machine already, with a title each."""
    found: dict[str, str] = {}
    if default_models()[0] in SHIPPED:
        found |= SHIPPED
    found |= {alias: wheel.title for alias, wheel in WHEELS.items() if folder_of(alias)}
    return found or dict.fromkeys(default_models(), "a rule about an expected word")


def ready_sentences() -> list[dict[str, Any]]:
    """Return sentences to begin with."""
    import tomllib

    found: list[dict[str, Any]] = tomllib.loads(_READY.read_text(encoding="utf-8"))["sentence"]
    return found


def _checked(given: Any, kind: type[Any]) -> Any:
    try:
        asked = msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise SpecError(f"the question is not as it should be: {error}") from error
    for name in asked.__struct_fields__:
        if isinstance(value := getattr(asked, name), str) and len(value) > _LONGEST:
            raise SpecError(f"{name} has {len(value):,} letters; at most {_LONGEST:,} are read")
    return asked


def _reply(model: Model, asked: Question, versions: Versions) -> dict[str, Any]:
    """Ask for all versions; what is shown is made by a template, so that words stay words."""
    if FillBlank not in model.answers:
        made = _similar(model, asked, versions)
    elif asked.other.strip():
        raise NotAskableError(
            f"{model.name} fills blanks and does not compare sentences: empty the second one"
        )
    else:
        made = _filled(model, asked, versions.texts)
    return {"versions": [_plain(one) for one in made], "note": versions.note}


def _filled(model: Model, asked: Question, texts: dict[str, str]) -> list[TriedVersion]:
    words = tuple(dict.fromkeys(word.strip() for word in asked.words.split(",") if word.strip()))
    if model.kind == "known" and not words:
        raise NotAskableError(
            f"{model.name} is a rule about an expected word: name one under “Words to follow”"
        )
    check_model(model, [next(iter(texts.values()))], words)
    blanks = [text if BLANK in text else f"{text} {BLANK}" for text in texts.values()]
    [plain] = model.ask([FillBlank(blanks[0], words, top_k=SEEN)])
    # What the plain version says first is shown in every version, however far it falls there.
    first = tuple(dict.fromkeys(guess.word for guess in plain.top))[:KEPT_WORDS]
    scored = tuple(dict.fromkeys((*words, *first)))
    others = model.ask([FillBlank(text, scored, top_k=SEEN) for text in blanks[1:]])
    base: dict[str, float] = {}
    made = []
    for label, text, fill, asked_for in zip(
        texts, blanks, [plain, *others], [words, *[scored] * len(others)], strict=True
    ):
        own = _chances(fill, asked_for)
        shown = dict.fromkeys(
            [*list(dict.fromkeys(guess.word for guess in fill.top))[:TOP], *first]
        )
        least = probability(fill.top[-1].logprob) if fill.top else 1.0
        made.append(
            TriedVersion(
                label,
                pieces(text, blanks[0]),
                tuple(_word(word, own.get(word), base, f"< {percentage(least)}") for word in shown),
                tuple(_word(word, own.get(word), base) for word in words),
            )
        )
        base = base or own
    return made


def _chances(fill: Fill, words: Sequence[str]) -> dict[str, float]:
    """The probabilities of the first words, and of those that were asked for."""
    scores = zip(words, fill.scores, strict=False)  # some models return no scores
    found = {word: probability(score) for word, score in scores if score is not None}
    return found | {guess.word: probability(guess.logprob) for guess in reversed(fill.top)}


def _word(
    word: str, chance: float | None, base: dict[str, float], unknown: str = "not a single token"
) -> TriedWord:
    if chance is None:
        return TriedWord(word, unknown, 0.0)
    shown = TriedWord(word, percentage(chance), min(1.0, chance))
    if not base:
        return shown
    before = base.get(word, 0.0)
    moved = f"{100 * (chance - before):+.1f}".replace("-", "−")
    change = "" if moved in ("+0.0", "−0.0") else moved
    return TriedWord(word, shown.shown, shown.share, change, chance > before if change else None)


def _similar(model: Model, asked: Question, versions: Versions) -> list[TriedVersion]:
    """Compare each version with the second sentence; without one, the others with the first."""
    texts = versions.texts
    if any(BLANK in text for text in (*texts.values(), asked.other)):
        raise NotAskableError(f"{model.name} fills no blanks: give it whole sentences")
    other = asked.other.strip()
    first = next(iter(texts.values()))
    if not other and len(texts) == 1 and not versions.note:
        raise NotAskableError(f"{model.name} compares sentences: give a second one, or turn on not")
    made, before = [], None
    for label, text in texts.items():
        if not other and text == first:
            made.append(TriedVersion(label, pieces(text, first), ()))
            continue
        reply = compared(model, text if other else first, (other or text,))
        [score] = reply.scores
        change = "" if before is None else f"{score - before:+.3f}".replace("-", "−")
        word = TriedWord(
            other or "the first sentence", f"{reply.scale} {shown_score(score, reply.scale)}",
            bar_length(score, [score], reply.scale), change,
            None if before is None else score > before,
        )  # fmt: skip
        before = score if before is None and other else before
        made.append(TriedVersion(label, pieces(text, first), (word,)))
    return made


def _plain(version: TriedVersion) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(version)
    return found
