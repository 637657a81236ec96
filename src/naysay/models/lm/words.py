"""Words and tokens: how a tokenizer splits a word in context, and how a token decodes.

Nothing here depends on a tokenizer family. A sentence is tokenized with a real word at the blank,
the offsets show which token that word became, and the mask replaces exactly that token; so leading
spaces, and tokens after the blank, are those of the real sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from naysay.core.errors import ModelError, NotAskableError
from naysay.core.probes import BLANK, FillBlank, Pieces, WordList
from naysay.models.lm.questions import Prepared, Question

# Words that are single tokens in most vocabularies; the first such word is used at the blank if the
# probe names no word.
_STAND_INS = ("it", "run", "the", "di", "de", "和", "a")

Cut = tuple[list[int], int, int]
"""All ids of a text, and where the tokens of one word in it begin and end."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The tokens around a blank; `mask` is None for a causal model."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    mask: int | None


@dataclass(frozen=True)
class Listed:
    """The words of a list, and the token of each."""

    words: tuple[str, ...]
    pieces: tuple[int, ...]

    @cached_property
    def piece(self) -> dict[str, int]:
        """The token of each word."""
        return dict(zip(self.words, self.pieces, strict=True))


class Words:
    """A tokenizer with methods for words in context."""

    def __init__(self, tokenizer: Any, name: str, *, masks: bool) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise ModelError(
                f"{name}: its tokenizer ({type(tokenizer).__name__}) does not report the "
                "offsets of its tokens, so words cannot be located. Give the model a "
                "tokenizer.json (a fast tokenizer)."
            )
        self.tokenizer = tokenizer
        self.name = name
        self.masks = masks
        self._special = set(tokenizer.all_special_ids)
        self._anchor = self._plain("to")
        self._spelled: dict[tuple[str, str], dict[str, tuple[int, ...] | None]] = {}
        self._listed: dict[tuple[WordList, bool], Listed] = {}
        self.read_back = cache(self._read_back)

    def _plain(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def cut(self, text: str, words: Sequence[str]) -> list[Cut]:
        """Tokenize the text with each word at its blank."""
        return self.cut_all([(text, word) for word in words])

    def cut_all(self, places: Sequence[tuple[str, str]]) -> list[Cut]:
        """Tokenize many texts at once, each with its word at the blank."""
        if not places:
            return []
        starts = [text.index(BLANK) for text, _ in places]
        encoded = self.tokenizer(
            [text.replace(BLANK, word) for text, word in places], return_offsets_mapping=True
        )
        found = []
        for (text, word), start, ids, offsets in zip(
            places, starts, encoded["input_ids"], encoded["offset_mapping"], strict=True
        ):
            end = start + len(word)
            inside = [
                k
                for k, (low, high) in enumerate(offsets)
                if low < end and high > start and high > low
            ]
            first, last = (inside[0], inside[-1] + 1) if inside else (0, 0)
            if inside and not _within(text, start, len(word), offsets[first], offsets[last - 1]):
                last = first
            found.append((ids, first, last))
        return found

    def pieces(self, words: Sequence[str], text: str) -> dict[str, Pieces]:
        """Return the tokens of each word at the blank of `text`."""
        return {
            word: self._judged(word, ids[first:last])
            for word, (ids, first, last) in zip(words, self.cut(text, words), strict=True)
        }

    def bare_pieces(self, words: Sequence[str]) -> dict[str, Pieces]:
        """Return the tokens of each word on its own, without a leading space."""
        return {word: self._bare(word) for word in words}

    def _bare(self, word: str) -> Pieces:
        ids = self._plain(word)
        pieces = tuple(self.tokenizer.convert_ids_to_tokens(ids))
        one = len(ids) == 1 and ids[0] not in self._special
        return Pieces(pieces, None if one else f"{len(ids)} pieces on its own: {' '.join(pieces)}")

    def _judged(self, word: str, ids: list[int]) -> Pieces:
        pieces = tuple(self.tokenizer.convert_ids_to_tokens(ids))
        if not ids:
            return Pieces((), "merges with the text around it", spelled=False)
        if self._special.intersection(ids):
            return Pieces(pieces, f"not in the vocabulary: {' '.join(pieces)}", spelled=False)
        if len(ids) != 1:
            return Pieces(pieces, f"{len(ids)} pieces: {' '.join(pieces)}")
        if (back := self.read_back(ids[0])) != word:
            return Pieces(pieces, f"reads back as {back!r}")
        return Pieces(pieces)

    def _read_back(self, piece: int) -> str:
        """Decode a token as it appears after another word; `##` marks a continuation."""
        if piece in self._special:
            return str(self.tokenizer.convert_ids_to_tokens([piece])[0])
        before = self._decode(self._anchor)
        after = self._decode([*self._anchor, piece])
        tail = after[len(before) :] if after.startswith(before) else self._decode([piece])
        if tail.startswith((" ", "\u00a0")) or not re.search(r"\w", tail):
            return tail.strip() or repr(tail)
        return f"##{tail}"

    def _decode(self, ids: list[int]) -> str:
        return str(self.tokenizer.decode(ids, clean_up_tokenization_spaces=False))

    @cached_property
    def whole_words(self) -> list[int]:
        """The tokens that are words of letters and are the tokenization of these words."""
        read = {piece: self.read_back(piece) for piece in range(len(self.tokenizer))}
        listed = [(piece, word) for piece, word in read.items() if word.isalpha()]
        cuts = self.cut_all([(f"to {BLANK}.", word) for _, word in listed])
        return [
            piece
            for (piece, _), (ids, first, last) in zip(listed, cuts, strict=True)
            if ids[first:last] == [piece]
        ]

    @cached_property
    def begins_anew(self) -> list[int]:
        """The tokens that do not continue a word: after a space, punctuation, and special ones.

        A token of an incomplete character counts as continuing.
        """
        before = self._decode(self._anchor)
        found = []
        for piece in range(len(self.tokenizer)):
            after = self._decode([*self._anchor, piece])
            tail = after[len(before) :] if after.startswith(before) else self._decode([piece])
            if piece in self._special or not re.match(r"\w|\ufffd", tail):
                found.append(piece)
        return found

    def listed(self, among: WordList, *, begins: bool) -> Listed:
        """Return the token of each word after another word, or at the beginning of the text.

        A word that is not a single token at the beginning keeps its token after another word, so
        that all texts have the same words.
        """
        if (among, begins) not in self._listed:
            after = self.cut(f"to {BLANK}.", among.words)
            first = self.cut(f"{BLANK} is.", among.words) if begins else after
            pieces = []
            for word, (ids, start, end), (other, begin, stop) in zip(
                among.words, after, first, strict=True
            ):
                if end - start != 1:
                    raise NotAskableError(f"{self.name}: {word!r} is not a single token")
                pieces.append(other[begin] if stop - begin == 1 else ids[start])
            self._listed[among, begins] = Listed(among.words, tuple(pieces))
        return self._listed[among, begins]

    def spell(self, text: str, words: Sequence[str]) -> tuple[Frame, dict[str, tuple[int, ...]]]:
        """Return the tokens around the blank, and those of each word that can be tokenized there.

        The tokens of a word depend on its sentence alone, so they are cached by sentence.
        """
        mask = self.tokenizer.mask_token_id if self.masks else None
        before, _, after = text.partition(BLANK)
        if mask is None and not re.search(r"\w", after):
            after = ""  # punctuation at the end is not part of the question
        text = f"{before}{BLANK}{after}"
        sentence = re.split(r"(?<=[.!?])\s+", before)[-1]
        known = self._spelled.setdefault((sentence, after), {})
        new = [word for word in words if word not in known]
        for word, (ids, first, last) in zip(new, self.cut(text, new), strict=True):
            whole = last > first and not self._special.intersection(ids[first:last])
            known[word] = tuple(ids[first:last]) if whole else None
        spelled = {word: pieces for word in words if (pieces := known[word])}
        [(ids, first, last)] = self.cut(text, [next(iter(spelled), words[0])])
        rest = ids[last:] if mask is not None else self.without_end(ids)[last:]
        return Frame(tuple(ids[:first]), tuple(rest), mask), spelled

    def masked_questions(self, probes: Sequence[FillBlank]) -> list[Prepared]:
        """Return each probe with its mask, and the token of each expected word there."""
        mask = self.tokenizer.mask_token_id
        prepared = []
        for probe, cuts in self._with_words(probes):
            ids, place, _ = next((cut for cut in cuts if cut[2] - cut[1] == 1), (None, 0, 0))
            if ids is None:
                ids, place = self._stand_in(probe.text)
            masked = (*ids[:place], mask, *ids[place + 1 :])
            prepared.append((Question(masked, place), self._wanted(cuts)))
        return prepared

    def next_questions(self, probes: Sequence[FillBlank]) -> list[Prepared]:
        """Return each probe up to its blank, and the token of each expected word there."""
        prefixes = [self._before_blank(probe.text) for probe in probes]
        encoded = self.tokenizer(prefixes)["input_ids"]
        prepared = []
        for (_, cuts), shown in zip(self._with_words(probes), encoded, strict=True):
            ids = self.without_end(shown)
            # The word counts only if it follows exactly the tokens of the prefix.
            fitting = [cut if cut[0][: cut[1]] == ids else (cut[0], 0, 0) for cut in cuts]
            prepared.append((Question(tuple(ids), len(ids) - 1), self._wanted(fitting)))
        return prepared

    def next_pieces(self, words: Sequence[str], text: str) -> dict[str, Pieces]:
        """Return the tokens of each word as a continuation of the text before the blank."""
        prefix = self._shown_before(text)
        found = {}
        for word, (ids, first, last) in zip(words, self.cut(text, words), strict=True):
            if ids[:first] == prefix:
                found[word] = self._judged(word, ids[first:last])
            else:
                found[word] = Pieces((), "merges with the text before it", spelled=False)
        return found

    def _shown_before(self, text: str) -> list[int]:
        """Return the tokens of the text before the blank."""
        before = text.partition(BLANK)[0].rstrip()
        return self.without_end(self.tokenizer(before)["input_ids"])

    def _with_words(self, probes: Sequence[FillBlank]) -> list[tuple[FillBlank, list[Cut]]]:
        cuts = iter(self.cut_all([(probe.text, word) for probe in probes for word in probe.words]))
        return [(probe, [next(cuts) for _ in probe.words]) for probe in probes]

    def _wanted(self, cuts: Sequence[Cut]) -> tuple[int | None, ...]:
        return tuple(
            ids[first] if last - first == 1 and ids[first] not in self._special else None
            for ids, first, last in cuts
        )

    def _stand_in(self, text: str) -> tuple[list[int], int]:
        for ids, first, last in self.cut(text, _STAND_INS):
            if last - first == 1:
                return ids, first
        raise NotAskableError(f"{self.name} has no single-token word that fits in {text!r}")

    def _before_blank(self, text: str) -> str:
        before, _, after = text.partition(BLANK)
        if re.search(r"\w", after):
            raise NotAskableError(
                f"{self.name} predicts the next token, so the blank must end the text, "
                f"but in {text!r} words follow it. Use --readout likelihood."
            )
        return before.rstrip()

    def without_end(self, ids: list[int]) -> list[int]:
        """Drop the end-of-text token that some tokenizers add."""
        end = self.tokenizer.eos_token_id
        return ids[:-1] if len(ids) > 1 and ids[-1] == end else ids

    @cached_property
    def ends(self) -> frozenset[int]:
        """The tokens that end an answer: all that are no text, whatever their names."""
        added = getattr(self.tokenizer, "added_tokens_decoder", {})
        special = {number for number, token in added.items() if getattr(token, "special", False)}
        return frozenset(self._special | special)


def _within(
    text: str, start: int, length: int, first: tuple[int, int], last: tuple[int, int]
) -> bool:
    """Return whether the tokens of a word contain nothing else of the text, apart from spaces."""
    before = text[first[0] : start]
    after = text[start + len(BLANK) : start + len(BLANK) + last[1] - (start + length)]
    return not before.strip() and (last[1] <= start + length or not after.strip())
