"""`naysay ask`: put a sentence to models, without a run."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from naysay.cli._completion import models as known_models
from naysay.cli._options import panels, parameter
from naysay.cli._output import Json
from naysay.core.console import notify
from naysay.core.spec import DEFAULT_LANGUAGE, PRECISIONS

if TYPE_CHECKING:
    from naysay.run.options import Declared


def ask(
    sentences: Annotated[
        list[str],
        typer.Argument(help="A sentence with a blank (▢, ___, [MASK]); or several to compare."),
    ],
    models: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--model",
            metavar="NAME",
            help="Model to ask; repeatable. [default: two controls]",
            autocompletion=known_models,
        ),
    ] = None,
    negate: Annotated[
        bool, typer.Option("--negate", help="Ask with and without the negation, side by side.")
    ] = False,
    sentence: Annotated[
        int | None,
        typer.Option(help="Which sentence --negate changes. [default: the first that it can]"),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many words to show.")] = 5,
    words: Annotated[
        str, typer.Option(metavar="WORDS", help="Words to show in any case, comma-separated.")
    ] = "",
    language: Annotated[str, typer.Option(help="Language of the sentence.")] = DEFAULT_LANGUAGE,
    device: Annotated[str, typer.Option(help="Device, as cpu, cuda, cuda:1 or mps.")] = "auto",
    precision: Annotated[
        str, typer.Option(help=f"Precision ({', '.join(PRECISIONS)}).")
    ] = PRECISIONS[0],
    as_json: Json = False,
    **typed: Any,
) -> None:
    """Ask models for the word at a blank, or how similar sentences are.

    With --negate the sentence is asked with its negation and without:
    naysay ask "Mary is a nurse who doesn't like to run. She is happy to ___." --negate
    """
    from naysay.api import ask as inquire
    from naysay.run.inquiry import default_models

    if not models:
        models = list(default_models())
        notify(
            f"no model given: asking {' and '.join(models)}, which are controls:\n"
            "they know the English sentences of the tests and little else; -m names another"
        )
    inquiry = inquire(
        sentences, models, negate=negate, sentence=sentence, top=top, words=words.split(","),
        language=language, device=device, precision=precision, **_values(typed),
    )  # fmt: skip
    if as_json:
        print(json.dumps(inquiry.as_dict(), ensure_ascii=False, allow_nan=False))
        return
    from naysay.reports.inquiry import show_inquiry

    show_inquiry(inquiry)


def _declared() -> dict[str, Declared]:
    """Return the options of adapters, with the adapters that read each."""
    from naysay.run.options import declared_options, kinds

    found = {}
    for name, (declared, readers) in declared_options().items():
        if own := [reader for reader in readers if reader in kinds()]:
            found[name] = (declared, own)
    return found


def _values(typed: dict[str, Any]) -> dict[str, Any]:
    """Parse the options that were given as their adapters declare them."""
    return {
        name: declared.checked(declared.parse(text) if isinstance(text, str) else text)
        for name, (declared, _) in _declared().items()
        if (text := typed.get(name))
    }


def _command() -> Any:
    """Build the command with a parameter for every option of an adapter."""
    signature = inspect.signature(ask, eval_str=True)
    fixed = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    declared = _declared()
    where = panels(declared)
    parameters = [*fixed, *(parameter(declared[name][0], *where[name]) for name in where)]

    def command(**values: Any) -> None:
        ask(**values)

    command.__doc__ = ask.__doc__
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


COMMAND = _command()
