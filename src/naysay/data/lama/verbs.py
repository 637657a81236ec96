"""Forms of English verbs that state facts, for the negator.

With this table, reading the data needs no tagger. A verb that is not in it makes a sentence "not
easy to negate", never a wrong negation.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

_REGULAR = """
absorb accept achieve act add admit adopt air allow announce answer appear apply appoint approach
argue arrest arrive ask assist attack attend attract avoid award bake bark begin behave believe
belong bite bloom boil borrow breathe brighten burn call carry cause celebrate change chase claim
clean climb close collect colonize combine communicate compete complete compose concentrate concern
connect conquer consider consist consume contain continue contribute control cook cost cover crash
create cry damage dance debut declare decrease defeat define deliver depend describe deserve design
desire destroy determine develop differ direct disappear discover discuss dissolve divert divide
dominate drop earn educate elect employ encounter end enjoy enter establish evolve exceed exist
expand explain explode express fail finish fix float flow focus follow form found function gain
gather generate govern graduate guard handle happen hate heal heat help hunt identify imply improve
include increase indicate influence inherit inspire intend interfere introduce invade invent
involve join jump kill lack last launch lead learn like live locate look love lurk maintain manage
manufacture marry measure melt move name need notice obey obtain occur offer open operate oppose
organize originate outnumber own paint participate pass perceive perform play pollute possess
practice precede prefer premiere prepare preserve prevent produce progress promote protect prove
provide publish purr pursue rain rank reach react realize receive record recruit reduce refer
reflect refuse register regulate reject relate release remain remember remove replace replicate
represent require resemble reside resist respect rest result retain retire return reveal rotate
ruin rule sail satisfy save serve settle share shoot shout sign signify smell smile smoke sniff
snow solve sound speed star start stay stop store study succeed suck suffer suggest supply support
surrender surround survive sustain talk taste tend threaten touch train transform translate travel
treat try turn unite use vanish vary visit vote wait walk want warm wash waste watch weigh wish
work worry worship yield
"""
# Past forms of irregular verbs; if one is also a base form, the noun before it decides.
_IRREGULAR_PAIRS = """
became:become began:begin bit:bite blew:blow broke:break brought:bring built:build bought:buy
caught:catch chose:choose came:come cost:cost cut:cut dealt:deal dug:dig drew:draw drank:drink
drove:drive ate:eat fell:fall fed:feed felt:feel fought:fight found:find fled:flee flew:fly
forbade:forbid forgot:forget froze:freeze gave:give went:go got:get grew:grow hung:hang heard:hear
hid:hide hit:hit held:hold hurt:hurt kept:keep knew:know laid:lay led:lead left:leave lost:lose
made:make meant:mean met:meet paid:pay put:put read:read rode:ride rang:ring rose:rise ran:run
saw:see sold:sell sent:send set:set shook:shake shone:shine shot:shoot showed:show sang:sing
sank:sink sat:sit slept:sleep spoke:speak spent:spend spun:spin spread:spread stood:stand
stole:steal stuck:stick stung:sting struck:strike swam:swim swept:sweep took:take taught:teach
told:tell thought:think threw:throw understood:understand wore:wear won:win wrote:write
said:say died:die lied:lie
"""
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_PAIRS.split())
_DOUBLED = {"admit", "control", "drop", "occur", "prefer", "refer", "star", "stop", "travel"}
_REPORTING = (
    "argue believe claim discover explain feel imply know perceive realize reveal say think"
)
_PARTICIPLES = {
    "been", "become", "begun", "born", "broken", "built", "chosen", "come", "done", "driven",
    "eaten", "fallen", "flown", "forgotten", "found", "given", "gone", "grown", "had", "held",
    "hidden", "kept", "known", "led", "left", "lost", "made", "meant", "met", "paid", "risen",
    "run", "seen", "sent", "shown", "sold", "spoken", "stolen", "sung", "taken", "taught", "told",
    "won", "worn", "written",
}  # fmt: skip


class Form(NamedTuple):
    """A finite verb form: its base form, and "s", "past" or "base"."""

    base: str
    kind: Literal["s", "past", "base"]


def third_person(base: str) -> str:
    """Return the third person singular of a verb.

    >>> third_person("carry"), third_person("reach"), third_person("play")
    ('carries', 'reaches', 'plays')
    """
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def past(base: str) -> str:
    """Return the past form of a regular verb.

    >>> past("carry"), past("stop"), past("share"), past("play")
    ('carried', 'stopped', 'shared', 'played')
    """
    if base in _DOUBLED:
        return f"{base}{base[-1]}ed"
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ied"
    return base + ("d" if base.endswith("e") else "ed")


def past_of(base: str) -> str | None:
    """Return the past form of an irregular verb, None if it is not listed as one.

    >>> past_of("run"), past_of("walk")
    ('ran', None)
    """
    return next((form for form, verb in _IRREGULAR.items() if verb == base), None)


def _forms() -> dict[str, list[Form]]:
    bases = sorted({*_REGULAR.split(), *_IRREGULAR.values()})
    irregular = set(_IRREGULAR.values())
    found: dict[str, list[Form]] = {}
    entries = [(third_person(base), Form(base, "s")) for base in bases]
    entries += [(past(base), Form(base, "past")) for base in bases if base not in irregular]
    entries += [(form, Form(base, "past")) for form, base in _IRREGULAR.items()]
    entries += [(base, Form(base, "base")) for base in bases]
    for word, form in entries:
        found.setdefault(word, []).append(form)
    # "founded" is the past of "found"; "found" itself is nearly always that of "find".
    found["found"] = [Form("find", "past")]
    return found


FORMS = _forms()
"""The possible forms of each word; only "read", "spread" and the like have two entries."""
REPORTING = {
    word for word, forms in FORMS.items() if {form.base for form in forms} & set(_REPORTING.split())
}
"""Verbs that take a clause without "that"."""


def is_participle(word: str) -> bool:
    """Return whether a word can follow "has" as a participle.

    >>> is_participle("managed"), is_participle("been"), is_participle("wings")
    (True, True, False)
    """
    return word in _PARTICIPLES or (word.endswith("ed") and len(word) > 4)
