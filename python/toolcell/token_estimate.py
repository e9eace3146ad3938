"""Tokens of the lines of the quick index, estimated from above and without a vocabulary."""

from __future__ import annotations

import re

_WORDS = """
    accept access account action active add address after all amount answer any api append application archive args
    arguments array asset assign attach auth author base batch before block board body book boolean branch bucket build
    bulk byte cache calendar call cancel card cell change channel chart check class clear client clone close code color
    column command comment commit company config confirm connect contact contain content context convert copy cost count
    country create currency current custom customer data database date day deal default delete deploy depth description
    detail device diff direction disable display document domain download draft due email empty enable encoding end
    endpoint entity entry environment error event exclude execute expires export external feature fetch field file
    filter find first flag folder follow form format from full function generate get global group handle head header
    health height hidden history host hour html id image import include index info input insert instance integer
    internal invite invoice issue item job join json key kind label language last layout lead length level like limit
    line link list load local location lock log login lookup mail main manage map mark match max media member memory
    merge message metadata method metric min minute mode model module month more move name namespace network new next
    node note notification null number object offset open operation option order organization output owner package page
    parameter parent parse partner pass password path pattern payment people period permission person phone plan point
    policy position post prefix preview price priority private process product profile project property public publish
    pull push quantity query question queue range rate read reason receive recipient record ref refresh region release
    remove rename render repeat replace reply report repository request reset resource response rest result retry return
    review role root row rule run sales save scan schedule schema scope script search second secret section select send
    sequence server service session set setting share sheet show sign size skip sort source space stage start state
    status stop storage store stream string style subject submit subscription sum summary sync system table tag target
    task team template term test text theme thread ticket time timeout timestamp title to token tool topic total track
    transaction transfer transform tree trigger type unit unknown update upload uri url usage user username valid value
    vendor verify version video view visible volume wait watch web week weight width window with word work workflow
    workspace write year zone
"""
_COMMON_WORDS = frozenset(_WORDS.split())
"""Words of names and types that are one token wherever they stand."""

_PIECE = re.compile(
    r"(?P<word>[A-Z]?[a-z]+|[A-Z]+(?![a-z]))"
    r"|(?P<structure>- |\(\{|\?: |: |; |\[\]| \| |\}?\) -> )"
    r"|(?P<number>[0-9]{1,3})"
    r"|(?P<underscore>_(?![0-9]))"
    r"|(?P<space> )"
    r'|(?P<quote>")'
    r"|(?P<escaped>[\\\n])"
    r"|(?P<sign>[\x21-\x7e])"
    r"|(?P<foreign>[\x00-\x1f\x7f-\uffff])"
    r"|(?P<astral>.)"
)
_TENTHS = {
    "structure": 10, "number": 10, "sign": 10, "underscore": 5, "space": 5,
    "quote": 15, "escaped": 30, "foreign": 50, "astral": 100,
}  # fmt: skip
"""Tenths of a token for a piece. Foreign characters may be sent as ``\\uXXXX``, up to five tokens."""

_TENTHS_OF_A_WORD = 2
_TENTHS_OF_A_LETTER = 6
_TENTHS_MORE_OF_A_RARE_LETTER = 2
_RARE_LETTERS = frozenset("jkqvwxz")
"""Letters whose pairs and triples are seldom tokens."""


def estimate_tokens(text: str) -> int:
    """Estimate how many o200k tokens lines of the index are at most, as part of a JSON string.

    Returns:
        The number of tokens. Lines of any odd kind need no more; ordinary lines need a tenth to a quarter less.

    Source:
        Measured on names of random letters, digits and signs, on words of several languages, and on tools of public
        MCP servers; ``tests/property/test_token_estimate.py`` measures it again.

    Limits:
        No bound for each single line: the sum over some dozens of lines is what holds.
    """
    tenths = sum(map(_tenths_of, _PIECE.finditer(text)))
    return -(-tenths // 10)


def _tenths_of(piece: re.Match[str]) -> int:
    kind = piece.lastgroup or "astral"
    if kind != "word":
        return _TENTHS[kind]
    word = piece[0].lower()
    if word in _COMMON_WORDS or word.removesuffix("s") in _COMMON_WORDS:
        return 10
    rare = sum(letter in _RARE_LETTERS for letter in word)
    return max(10, _TENTHS_OF_A_WORD + _TENTHS_OF_A_LETTER * len(word) + _TENTHS_MORE_OF_A_RARE_LETTER * rare)
