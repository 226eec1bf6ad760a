"""Words of the field, explained where a page first uses them."""

import re

from markupsafe import Markup, escape

from dpcert.audit.render.glossary import GLOSSARY

MARKED = ("power function", "rung", "hull", "discrepancy", "challenge", "position", "kernel digest")
"""Words that a reader may meet for the first time."""
_WORD = re.compile(rf"\b({'|'.join(sorted(MARKED, key=len, reverse=True))})(s?)\b", re.IGNORECASE)


class Explainer:
    """A filter for the words of one page: where it first meets one, it says what it means."""

    def __init__(self) -> None:
        self.met: set[str] = set()

    def __call__(self, text: object) -> Markup:
        """The text as markup, e^ε raised, words that were not met before with their meaning as a title."""
        raised = str(escape(text)).replace("e^ε", "e<sup>ε</sup>")
        return Markup(_WORD.sub(self._marked, raised))  # escaped above; the titles are ours

    def _marked(self, match: "re.Match[str]") -> str:
        word = match[1].lower()
        if word in self.met:
            return match[0]
        self.met.add(word)
        return f'<dfn title="{escape(GLOSSARY[word])}">{match[0]}</dfn>'


def glossary() -> list[tuple[str, str]]:
    """Every word with what it means, in the order of the alphabet."""
    return sorted(GLOSSARY.items())
