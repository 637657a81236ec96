"""The tokenizer in a GGUF file, with the methods that `Words` and the chats call.

They have the names and results of a fast tokenizer of transformers, so that words are located, and
prompts written, by the same code. The offsets follow from the bytes of the tokens.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

from naysay.core.errors import ModelError, NotAskableError
from naysay.models.llama_cpp.library import library

_UNKNOWN, _CONTROL = 1, 1 << 3  # attributes of tokens
_LONGEST_PIECE = 256
_SPACE = b" "


class Tokenizer:
    """The vocabulary of a loaded model, and its chat template."""

    is_fast = True
    """Whether it reports the offsets of its tokens."""
    mask_token_id = None

    def __init__(self, name: str, model: int, chat_template: str | None) -> None:
        self._name = name
        self._library = library()
        self._vocabulary = self._library.llama_model_get_vocab(model)
        self._size = int(self._library.llama_vocab_n_tokens(self._vocabulary))
        self.chat_template = chat_template
        self.eos_token_id = self._library.llama_vocab_eos(self._vocabulary)

    def __len__(self) -> int:
        return self._size

    def __call__(
        self,
        texts: str | Sequence[str],
        *,
        add_special_tokens: bool = True,
        return_offsets_mapping: bool = False,
    ) -> dict[str, Any]:
        """Return the ids of one text or of several, and where each token is in its text."""
        if isinstance(texts, str):
            return {"input_ids": self.encode(texts, add_special_tokens=add_special_tokens)}
        ids = [self.encode(text, add_special_tokens=add_special_tokens) for text in texts]
        found: dict[str, Any] = {"input_ids": ids}
        if return_offsets_mapping:
            found["offset_mapping"] = [
                self._offsets(*each) for each in zip(texts, ids, strict=True)
            ]
        return found

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        """Return the ids of a text; special tokens that are written out count as such."""
        try:
            written = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise NotAskableError(f"{text!r} is not valid text: {error.reason}") from error
        size = len(written) + 8
        ids = (ctypes.c_int32 * size)()
        number = self._library.llama_tokenize(
            self._vocabulary, written, len(written), ids, size, add_special_tokens, True
        )
        if number < 0:
            raise ModelError(f"{self._name}: llama.cpp cannot tokenize {text!r}")
        return list(ids[:number])

    def _offsets(self, text: str, ids: Sequence[int]) -> list[tuple[int, int]]:
        """Return where the characters of each token begin and end; added tokens have none."""
        written = text.encode("utf-8")
        pieces = [self.pieces[token] for token in ids]
        added = [0, len(pieces)]
        for place in (0, -1):  # a token at the beginning, or at the end, that is not in the text
            if pieces and ids[place] in self._special and not _meets(written, pieces[place], place):
                added[place] += 1 if place == 0 else -1
        inside = pieces[added[0] : added[1]]
        spelled = b"".join(inside)
        # SentencePiece writes a space before the first word.
        shift = 1 if spelled == _SPACE + written and spelled != written else 0
        if spelled[shift:] != written:
            raise ModelError(
                f"{self._name}: its tokens spell {spelled.decode(errors='replace')!r}, not "
                f"{text!r}, so words cannot be located"
            )
        character = [k for k, letter in enumerate(text) for _ in letter.encode("utf-8")]
        ends = list(accumulate(map(len, inside)))
        offsets = [(0, 0)] * len(pieces)
        for k, (piece, end) in enumerate(zip(inside, ends, strict=True)):
            low, high = max(end - len(piece) - shift, 0), end - shift
            if high > low:
                offsets[added[0] + k] = (character[low], character[high - 1] + 1)
        return offsets

    @cached_property
    def pieces(self) -> list[bytes]:
        """The bytes of each token, with its leading space."""
        space = ctypes.create_string_buffer(_LONGEST_PIECE)
        return [self._piece(token, space) for token in range(self._size)]

    def _piece(self, token: int, space: Any) -> bytes:
        size = self._library.llama_token_to_piece(
            self._vocabulary, token, space, len(space), 0, True
        )
        if size >= 0:
            return bytes(space.raw[:size])
        return self._piece(token, ctypes.create_string_buffer(-size))

    @cached_property
    def _special(self) -> frozenset[int]:
        attributes = self._library.llama_vocab_get_attr
        return frozenset(
            token
            for token in range(self._size)
            if attributes(self._vocabulary, token) & (_UNKNOWN | _CONTROL)
        )

    @property
    def all_special_ids(self) -> list[int]:
        """The tokens that are no text: control tokens, and the one for unknown words."""
        return sorted(self._special)

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str]:
        """Return the tokens as the vocabulary writes them."""
        text = self._library.llama_vocab_get_text
        return [text(self._vocabulary, token).decode("utf-8", errors="replace") for token in ids]

    def decode(self, ids: Sequence[int], **_: Any) -> str:
        """Return the text of the tokens; bytes that are no whole character become U+FFFD."""
        return b"".join(self.pieces[token] for token in ids).decode("utf-8", errors="replace")

    def apply_chat_template(
        self, messages: Sequence[Mapping[str, str]], *, tokenize: bool = False, **given: Any
    ) -> str:
        """Write the messages as the model's chats are written."""
        from jinja2 import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        def refuse(message: str) -> None:
            raise TemplateError(message)

        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals.update(
            raise_exception=refuse, strftime_now=lambda form: given.get("date_string", "")
        )
        bos, eos = self._library.llama_vocab_bos(self._vocabulary), self.eos_token_id
        known = {"bos_token": bos, "eos_token": eos}
        names = {key: self.convert_ids_to_tokens([k])[0] for key, k in known.items() if k >= 0}
        try:
            template = environment.from_string(self.chat_template or "")
            return template.render(messages=list(messages), **names, **given)
        except TemplateError as error:
            raise NotAskableError(
                f"{self._name}: its chat template cannot be used: {error}"
            ) from error


def _meets(written: bytes, piece: bytes, place: int) -> bool:
    """Return whether the text begins, or ends, with that token's text."""
    return written.startswith(piece) if place == 0 else written.endswith(piece)
