"""Find words that a text of the course goes without, and say of each why."""

import re

#: A word, or a mark, and in one sentence why it is left out.
Words = dict[str, str]

BELITTLING: Words = dict.fromkeys(
    ("just", "simply", "obviously", "easy"),
    "Whoever finds it hard feels at fault.",
)
SHOUTING: Words = {"!": "A plain sentence says as much."}
ADDRESSING: Words = dict.fromkeys(
    ("you", "your"), "The text is about the program, not about who wrote it."
)
PRESCRIBING: Words = dict.fromkeys(
    ("use", "try", "should", "instead", "must", "please"),
    "A headline and a rule state the fault, and the fix is left to find.",
)


def find_forbidden(place: str, text: str, *forbidden: Words) -> list[str]:
    """List the forbidden words of a text: the place and the line, the word, and the reason.

    >>> find_forbidden("a hint", "It is\\nsimply a sum.", BELITTLING)
    ["a hint, 'simply a sum.': forbids 'simply'. Whoever finds it hard feels at fault."]
    """
    reasons = {word: why for words in forbidden for word, why in words.items()}
    bounded = (rf"\b{word}\b" if word.isalpha() else re.escape(word) for word in reasons)
    pattern = re.compile("|".join(bounded), re.IGNORECASE)
    return [
        f"{place}, {line.strip()!r}: forbids {word!r}. {reasons[word.lower()]}"
        for line in text.splitlines()
        for word in pattern.findall(line)
    ]
