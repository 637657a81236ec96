"""The result of teaching an embedder: on the terminal, as Markdown, and as a model card."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.core.extras import missing_modules
from naysay.core.paths import write_text
from naysay.core.records import Estimate
from naysay.reports.charts import Plot, Point
from naysay.reports.markdown import bullets, escape, plain_table
from naysay.reports.page import page
from naysay.reports.sections import Chart, Prose, Section
from naysay.reports.tables import NONE, TextTable, number
from naysay.reports.training import sparkline
from naysay.train.embedder.figures import Change
from naysay.train.embedder.procedure import EmbedderResult, leak_notice, missing_notice

_COLUMNS = ("", "before", "after", "change", "95 % interval", "n")
_CHANCE = 100 / 3
SPEED = "Encoding takes the time that it took: the architecture and the tokenizer are the same."


def change_table(changes: Sequence[Change]) -> TextTable:
    """What was gained and what was lost."""
    rows = tuple(
        (
            change.name,
            _shown(change.before, change.unit),
            _shown(change.after, change.unit),
            _signed(change.difference, change.unit),
            NONE
            if change.low is None or change.high is None
            else f"{_signed(change.low, change.unit)} to {_signed(change.high, change.unit)}",
            f"{change.n:,}",
        )
        for change in changes
    )
    return TextTable("Gained and lost, on the same sentences", _COLUMNS, rows)


def _shown(value: float, unit: str) -> str:
    if unit == "%":
        return number(value, "%")
    return f"{value:.3f}" if unit == "cosine" else f"{value:.1f}"


def _signed(value: float, unit: str) -> str:
    return f"{value:+.3f}" if unit == "cosine" else f"{value:+.1f}"


def curve_table(result: EmbedderResult) -> TextTable:
    """The development part at each evaluation."""
    rows = tuple(
        (
            f"{point['step']:,}" + (" (kept)" if point["step"] == result.trained.kept_step else ""),
            NONE if point["loss"] is None else f"{point['loss']:.3f}",
            *(NONE if point[n] is None else number(100 * point[n], "%") for n in ("right", "kept")),
        )
        for point in result.curve
    )
    columns = ("step", "loss", "right", "neighbours kept")
    return TextTable("The development part in the course of training", columns, rows)


def tradeoff_table(result: EmbedderResult) -> TextTable:
    """What models would have gained and lost whose weights have less, or more, of the change."""
    columns = tuple(f"{point.strength:g}" for point in result.tradeoffs)
    rows = tuple(
        (
            change.name,
            *(_shown(point.figures[change.name], change.unit) for point in result.tradeoffs),
        )
        for change in result.changes
        if change.unit != "cosine"
    )
    title = f"The same with other strengths (this model has {result.strength:g})"
    return TextTable(title, ("strength", *columns), rows)


def training_line(result: EmbedderResult) -> str:
    """A sentence about the training."""
    material, trained = result.material, result.trained
    control = " with shuffled polarity, a control" if result.shuffled else ""
    share = f"{100 * result.strength:.0f} %"
    weakened = f" The weights have {share} of what was learned." if result.strength < 1 else ""
    return (
        f"{result.model} was trained on {material['groups']:,} groups of {material['pairs']:,} "
        f"pairs of opposites{control}; of {trained.steps:,} steps, number {trained.kept_step:,} "
        f"was chosen on the development part.{weakened}"
    )


def verdicts(result: EmbedderResult) -> list[str]:
    """What was gained and what was lost, in words."""
    return [_verdict(change) for change in result.changes]


def _verdict(change: Change) -> str:
    bounds = (
        ""
        if change.low is None or change.high is None
        else f" ({_signed(change.low, change.unit)} to {_signed(change.high, change.unit)})"
    )
    figures = f"{_signed(change.difference, change.unit)}{bounds}"
    if not change.decided:
        return f"{change.name}: undecided, {figures}."
    way = "rose" if change.difference > 0 else "fell"
    if change.name.endswith("kept"):
        return f"{change.name}: {_shown(change.after, change.unit)}."
    below = change.unit == "%" and change.after <= _CHANCE
    chance = "; that is not above chance, 33.3 %" if below else ""
    return f"{change.name}: {way} by {figures.lstrip('+-')}{chance}."


def gain_line(result: EmbedderResult) -> str:
    """Whether anything was gained at all, in one sentence."""
    tests = [change for change in result.changes if change.unit == "%" and _is_test(change)]
    gained = [c for c in tests if c.decided and c.difference > 0 and c.after > _CHANCE]
    if not gained:
        return (
            "It gained nothing: on no test does it choose the paraphrase more often than before "
            "and more often than by chance (33.3 %)."
        )
    if len(gained) == len(tests):
        return f"It gained on all {len(tests)} tests."
    return (
        f"It gained on {len(gained)} of {len(tests)} tests; the others are undecided or at chance."
    )


def _is_test(change: Change) -> bool:
    return not change.name.endswith("kept")


def show(result: EmbedderResult) -> None:
    """Print the table, the curve in short, and what was kept out."""
    from rich.console import Console

    from naysay.reports.terminal import safe_text, show_cells

    console = Console()

    def say(text: str, style: str = "") -> None:
        console.print(safe_text(text, style=style))

    say("")
    say(training_line(result), "bold")
    say(gain_line(result), "bold")
    say("")
    table = change_table(result.changes)
    say(table.title, "italic")
    show_cells(table, console)
    say("")
    table = tradeoff_table(result)
    say(table.title, "italic")
    show_cells(table, console)
    shown = [point["right"] for point in result.curve if point["right"] is not None]
    if shown:
        say(f"Right on the development part, step by step: {sparkline(shown)}")
    say(SPEED, "dim")
    say(leak_notice(result.material), "dim")
    if missing := missing_notice(result.material):
        say(missing, "yellow")
    place = f"The model is in {result.folder}, the report in {result.folder / 'report.md'}."
    for line in (place, f"naysay run -m {result.folder}"):
        console.print(safe_text(line, style="dim"), soft_wrap=True)


def save(result: EmbedderResult, command: str) -> None:
    """Write the report and the model card into the model's folder; a page, too, if that is here."""
    write_text(result.folder / "report.md", markdown(result))
    write_text(result.folder / "README.md", card(result, command))
    if not missing_modules("report"):
        write_text(result.folder / "report.html", learning_page(result))


def learning_page(result: EmbedderResult) -> str:
    """The report as a page, with the curve over steps."""
    told = [training_line(result), gain_line(result), leak_notice(result.material)]
    sections = [
        Section("Gained and lost", (Prose(tuple(told)), change_table(result.changes))),
        Section("Trade-off", (Prose((_TRADEOFF,)), tradeoff_table(result))),
        Section("Choice of the step", (_curve(result), curve_table(result))),
    ]
    return page("An embedder that reads “not”", sections)


def _curve(result: EmbedderResult) -> Chart:
    named = {"right": "right answers", "kept": "neighbours kept"}
    count = int(result.material["development"])
    points = [
        Point(
            result.model, f"step {point['step']}",
            Estimate("", "curve", label, "share", 100 * point[name], n=count),
            label, float(point["step"]),
        )
        for point in result.curve
        for name, label in named.items()
        if point[name] is not None
    ]  # fmt: skip
    return Plot(
        name="embedder-curve", title="The development part in the course of training",
        points=points, models=(result.model,), along="step", quantity="share",
        lines={"chance": _CHANCE},
    ).chart()  # fmt: skip


def markdown(result: EmbedderResult) -> str:
    """The whole report."""
    material = result.material
    parts = ["# An embedder that reads *not*", escape(training_line(result))]
    parts += ["## Gained and lost", escape(gain_line(result))]
    parts += [plain_table(change_table(result.changes)), _READING, bullets(verdicts(result)), SPEED]
    parts += ["## Trade-off", _TRADEOFF, plain_table(tradeoff_table(result))]
    parts += ["## Choice of the step", plain_table(curve_table(result)), _CHOICE]
    parts += ["## Leakage", escape(leak_notice(material))]
    if missing := missing_notice(material):
        parts.append(escape(missing))
    if material["left_out_examples"]:
        parts.append(bullets([f"for example: {text}" for text in material["left_out_examples"]]))
    return "\n\n".join(part for part in parts if part) + "\n"


_READING = (
    "Tests: how often the paraphrase is nearer than both sentences that share more words (33.3 % "
    "by chance). The intervals are of paired differences: over pairs of words in the tests and "
    "cosines, over sentences for neighbours, and a bootstrap over pairs of sentences for "
    "Spearman's correlation."
)
_TRADEOFF = (
    "Weights between those of the base model and what the training led to have learned less and "
    "moved less. --strength says how far they go; the same sentences were asked at several. "
    "The course of training is that of full strength."
)
_CHOICE = (
    "The step with the lowest loss on the development part was kept. That part has words and "
    "general sentences of its own; no test has a say in it."
)


def card(result: EmbedderResult, command: str) -> str:
    """The model card: what it is, how it was made, its figures, its licence."""
    material = result.material
    stated = result.licence if " " not in result.licence else "other"
    return "\n".join(
        [
            "---",
            "library_name: sentence-transformers",
            "pipeline_tag: sentence-similarity",
            f"license: {stated.lower()}",
            "tags: [sentence-transformers, sentence-similarity, negation]",
            "---",
            "",
            f"# {escape(result.folder.name)}",
            "",
            f"{escape(result.model)}, trained further with naysay so that it tells a sentence from "
            "its negation, and knows a negated opposite for a paraphrase.",
            "",
            "```python",
            "from sentence_transformers import SentenceTransformer",
            "",
            f'model = SentenceTransformer("{result.folder.name}")',
            "```",
            "",
            "## How it was trained",
            "",
            escape(training_line(result)),
            f"Negators in training: {', '.join(material['negators'])}. General sentences whose "
            f"similarities were kept: {material['general']:,}.",
            escape(leak_notice(material)),
            "",
            f"    {command}",
            "",
            "## Figures",
            "",
            plain_table(change_table(result.changes)),
            "",
            _READING,
            "",
            "## Limits",
            "",
            "English, short sentences, one negation each. It was trained on opposites that deny "
            "each other; sentences with several negations, with quantifiers or with irony were "
            "not among them. Vectors are not those of the base model: encode an index anew.",
            "",
            "## Licence",
            "",
            f"Licence of the base model: {escape(result.licence)}. Training sentences are made of "
            "WordNet 3.0 (Princeton University) and of naysay's own frames.",
            "",
        ]
    )
