"""Reading the facts of LAMA: Google-RE, T-REx, ConceptNet and SQuAD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from naysay.core.errors import DatasetError, SpecError
from naysay.core.probes import BLANK
from naysay.data.lama import facts as faults
from naysay.data.lama.facts import (
    CORPORA,
    RELATIONS,
    TEMPLATED,
    VOCABULARY,
    Fact,
    FactSet,
    Keys,
    RelationTemplate,
    Tally,
    asked_corpora,
    beside,
    common_vocabulary,
    corpus_folders,
    relations,
    rows,
    sentence_of,
    word_of,
)
from naysay.data.lama.negator import is_in_subset, is_negation, negate
from naysay.data.lama.released import (
    MASK,
    UNUSED,
    WORDINGS,
    Negations,
    filled,
    is_damaged,
    released_negations,
    shown,
)

_LONGEST = 100


@dataclass(frozen=True)
class _Source:
    """A file, with the properties that all its rows share."""

    path: Path
    corpus: str
    relation: str = ""
    kind: str = ""
    template: str = ""
    negated: str | None = None
    negation: str = "none"


def read_facts(
    data: Path,
    primed: Path | None = None,
    corpora: Sequence[str] | None = None,
    *,
    negated: Path | None = None,
    easy: bool = False,
    wording: str = "paper",
    spaces: bool = False,
) -> FactSet:
    """Read the facts of LAMA, each with its query and its negated query.

    `data` is the folder of LAMA, `primed` that of Misprimed LAMA, whose rows have negated queries,
    `negated` that of the released archive of negated LAMA, unpacked; its files take precedence.
    Missing corpora are skipped and recorded; a corpus that is named must exist.

    Every row is either a fact or counted under a fault that excludes it. The rules are LAMA's own.
    A row needs a subject and an answer. A Google-RE row is excluded if more raters say no than
    yes. In relations with a template, rows with the same subject and answer are one fact;
    otherwise their queries must be equal, too, with at most 100 words. With `easy`, a row of
    ConceptNet is excluded unless the paper's rule counts it as easy to negate, or it has its own
    negation. Two rules are ours. A query
    must have exactly one blank, while LAMA asks for the first of several and leaves the others
    masked. An answer outside the common vocabulary, for which LAMA excludes a row, is counted, but
    the fact is kept.

    The negated query is the one released for this query; else it comes from the released negated
    template; else it is built by `negate`; if that is not easy, there is none. A released one
    without a negator is not used. `wording` chooses the templates of Google-RE, `spaces` keeps
    upstream's spaces.
    """
    if wording not in WORDINGS:
        raise SpecError(f"wording must be one of {', '.join(WORDINGS)}, not {wording!r}")
    folders = _folders(data, negated)
    asked = asked_corpora(data, list(folders), corpora)
    tally = Tally()
    for corpus in CORPORA if corpora is None else ():
        if corpus not in folders:
            tally.fault(corpus, "", faults.NO_FILE, f"no folder of {corpus} in {data}")
    vocabulary: frozenset[str] = frozenset()
    if beside(data, VOCABULARY):
        vocabulary = frozenset(common_vocabulary(data))
    else:
        tally.fault("", "", faults.NO_FILE, VOCABULARY)
    negations = released_negations(primed, asked) if primed else Negations()
    reading = _Reading(tally, negations, vocabulary, easy, spaces)
    found: list[Fact] = []
    templates: list[RelationTemplate] = []
    for corpus in asked:
        sources = list(_sources(data, folders[corpus], corpus, WORDINGS[wording], reading))
        if not sources and corpora is not None:
            raise DatasetError(f"{folders[corpus][0]} has none of the files of {corpus}")
        for source in sources:
            found.extend(reading.facts(source))
            if source.template:
                templates.append(reading.template(source))
    return FactSet(tuple(found), tally.faults, dict(tally.read), tuple(templates))


def _folders(data: Path, negated: Path | None) -> dict[str, list[Path]]:
    """Return the folders of each corpus; files of a later one take precedence."""
    found = corpus_folders(data)
    more = {} if negated is None else corpus_folders(negated)
    if negated is not None and not more:
        raise DatasetError(
            f"{negated} has no corpus of LAMA. If the archive is in it, unpack it there: "
            f"tar -xzf negated_data.tar.gz -C {negated}"
        )
    return {
        corpus: [folders[corpus] for folders in (found, more) if corpus in folders]
        for corpus in CORPORA
        if corpus in found or corpus in more
    }


def _sources(
    data: Path, folders: Sequence[Path], corpus: str, google_re: dict[str, str], reading: _Reading
) -> Iterator[_Source]:
    """Yield the files of a corpus; missing ones are recorded."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.jsonl"))]
    there = {path.stem.removesuffix("_test"): path for path in paths}
    if corpus not in TEMPLATED:
        chosen = [there["test"]] if "test" in there else list(there.values())
        yield from (_Source(path, corpus) for path in chosen)
        return
    known: dict[str, dict[str, Any]] = {name: {"template": google_re[name]} for name in google_re}
    if corpus == "trex":
        known = relations(data)
        if not known:
            reading.tally.fault(corpus, "", faults.NO_FILE, RELATIONS)
    for name in sorted({*known, *there}, key=lambda name: (len(name), name)):
        about = known.get(name, {})
        if name in there:
            source = _Source(
                there[name], corpus, name, word_of(about, "type"), word_of(about, "template")
            )
            yield reading.with_negation(source, word_of(about, "template_negated"))
        elif name not in UNUSED:
            reading.tally.fault(corpus, name, faults.NO_FILE, f"{folders[0].name}/{name}.jsonl")


@dataclass
class _Reading:
    """The state that all files of one call share."""

    tally: Tally
    negations: Negations
    vocabulary: frozenset[str]
    easy: bool
    spaces: bool
    keys: Keys = field(default_factory=Keys)
    seen: set[str] = field(default_factory=set)

    def with_negation(self, source: _Source, listed: str) -> _Source:
        """Add the negated template: as listed, else as released, else built."""
        place = source.corpus, source.relation
        negated: str | None = listed or self.negations.templates.get((*place, source.template))
        if negated and is_negation(source.template, negated):
            return replace(source, negated=negated, negation="template")
        if negated:
            self.tally.fault(*place, faults.NOT_NEGATED_TEMPLATE, negated)
        negated = negate(source.template)
        return replace(source, negated=negated, negation="built" if negated else "none")

    def template(self, source: _Source) -> RelationTemplate:
        """Return the template of a source, for display."""
        return RelationTemplate(
            source.corpus,
            source.relation,
            source.kind,
            self._shown(source.template),
            source.negated and self._shown(source.negated),
            source.negation,
        )

    def facts(self, source: _Source) -> Iterator[Fact]:
        """Yield the facts of a file."""
        corpus = source.corpus
        for row in rows(source.path):
            fields = row if isinstance(row, dict) else {}
            relation = word_of(fields, "pred") if corpus == "conceptnet" else source.relation
            subject, answer = word_of(fields, "sub_label"), word_of(fields, "obj_label")
            query = filled(source.template, subject) or sentence_of(fields, "masked_sentences")
            self.tally.row(corpus, relation)
            what = _fault_of(source, row, subject, answer, query)
            if not what and self.easy and corpus == "conceptnet":
                own = is_in_subset(query) or _own_negation(fields)
                what = None if own else faults.NOT_IN_SUBSET
            if what:
                example = f"{subject}: {query}" if fields and query else row
                self.tally.fault(corpus, relation, what, example)
                continue
            key = self.keys.of(corpus, relation, subject, answer, query)
            if key in self.seen:
                self.tally.fault(corpus, relation, faults.DOUBLED, f"{subject}: {query}")
                continue
            self.seen.add(key)
            negated, negation = self._negated(
                source, (corpus, relation, subject, answer, query), fields
            )
            notes = {
                faults.NOT_IN_VOCABULARY: bool(self.vocabulary) and answer not in self.vocabulary,
                faults.ANSWER_IS_SUBJECT: answer == subject,
                faults.DAMAGED: is_damaged(query),
                faults.NOT_EASY: negated is None,
            }
            for what in (what for what, applies in notes.items() if applies):
                self.tally.fault(corpus, relation, what, f"{query} {answer}")
            yield Fact(
                key, corpus, relation, source.kind, subject, answer, self._shown(query),
                None if negated is None else self._shown(negated), negation,
            )  # fmt: skip

    def _negated(
        self, source: _Source, identity: tuple[str, str, str, str, str], row: dict[str, Any]
    ) -> tuple[str | None, str]:
        corpus, relation, subject, _, query = identity
        own = "" if source.template else _own_negation(row)
        given = own or self.negations.of_facts.get(identity, "")
        if given.count(MASK) == 1 and is_negation(query, given):
            return given, "released"
        if given:
            self.tally.fault(corpus, relation, faults.NOT_NEGATED, given)
        if source.template:
            return source.negated and filled(source.negated, subject), source.negation
        built = negate(query)
        return built, "built" if built else "none"

    def _shown(self, text: str) -> str:
        return shown(text, spaces=self.spaces)


def _fault_of(
    source: _Source, row: dict[str, Any] | str, subject: str, answer: str, query: str
) -> str | None:
    """Return the fault that excludes a row, None if there is none."""
    blanks = query.count(MASK) + query.count(BLANK)
    checks = {
        faults.NO_JSON: isinstance(row, str),
        faults.NO_TEMPLATE: not source.template and source.corpus in TEMPLATED,
        faults.NO_SUBJECT: not subject,
        faults.NO_ANSWER: not answer,
        faults.RATED_WRONG: isinstance(row, dict) and _rated_wrong(row.get("judgments")),
        faults.NO_BLANK: blanks == 0,
        faults.MANY_BLANKS: blanks > 1,
        faults.LONG: not source.template and len(query.split()) > _LONGEST,
    }
    return next((what for what, wrong in checks.items() if wrong), None)


def _own_negation(row: dict[str, Any]) -> str:
    return sentence_of(row, "masked_negations", "negated")


def _rated_wrong(judgments: Any) -> bool:
    if not isinstance(judgments, list):
        return False
    votes = [isinstance(one, dict) and one.get("judgment") == "yes" for one in judgments]
    return votes.count(False) > votes.count(True)
