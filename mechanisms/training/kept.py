"""A run that leaves something behind: releases in a file as they come, and a state from which it goes on."""

import json
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from dpcert.audit.algebra.rational import text
from dpcert.audit.errors import ArgumentError, one_line
from dpcert.mechanisms.learning.pipeline import ContinualSgd, ReleasedModel
from dpcert.mechanisms.live.durable import name_kept
from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip
from dpcert.mechanisms.training.release_lines import ReleaseLines
from dpcert.mechanisms.training.setting import SgdSetting

ASKED = "asked.json"
"""What a run was asked, in the folder of its state."""


@dataclass(frozen=True)
class Keeping:
    """Where a run is kept.

    Attributes:
        state: A folder of leases; empty for none.
        releases: A file of JSON lines; empty for none.
    """

    state: str = ""
    releases: str = ""

    def claim(self, setting: SgdSetting, method: str, seed: int, simulate: int | None) -> None:
        """Notes in the folder what is run there. Raises: ArgumentError: a folder of another run, or none can be made.

        Leases know sums and noise; which events and gradients they are of is known here alone.
        """
        folder, question = Path(self.state), _asked(setting, method, seed, simulate)
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            if not (folder / ASKED).exists():
                if any(folder.iterdir()):
                    raise ArgumentError(f"Expected an empty folder but got state={one_line(self.state)}")
                (folder / "asked.new").write_text(question, encoding="utf-8")
                (folder / "asked.new").replace(folder / ASKED)
                name_kept((folder / ASKED).absolute())
            same = (folder / ASKED).read_text(encoding="utf-8") == question
        except (OSError, ValueError) as error:
            raise ArgumentError(f"Expected a folder but got state={one_line(self.state)} ({error})") from None
        if not same:
            raise ArgumentError(f"Expected the state of the same run but got state={one_line(self.state)} of another")

    def sink(self, run: ContinualSgd, stack: ExitStack) -> "Sink":
        """Where releases go; those of a run that died first."""
        late, lines = run.undelivered, None
        if self.releases:
            lines = ReleaseLines.behind(self.releases, stack, releases=run.released, pending=len(late))
        sink = Sink(run, lines)
        sink.take(late)
        return sink


@dataclass
class Sink:
    """Takes releases: writes them, and then says that they have arrived."""

    run: ContinualSgd
    lines: ReleaseLines | None

    def take(self, releases: "list[ReleasedModel] | tuple[ReleasedModel, ...]") -> None:
        """Takes releases, in order."""
        if releases:
            if self.lines is not None:
                self.lines.write(releases)
            self.run.acknowledge(releases[-1].number)


def _asked(setting: SgdSetting, method: str, seed: int, simulate: int | None) -> str:
    wish = setting.wish
    promise = [text(wish.epsilon), text(wish.delta), wish.events, text(wish.split)]
    model = [type(setting.plain).__name__, _clip(setting.clip), setting.schedule.name, setting.optimiser]
    asked = {"stream": setting.stream, "promise": promise, "method": method, "core": setting.core, "model": model}
    habits = setting.habits
    users = {} if habits.steady else {"users": [text(habits.churn), text(habits.feedback)]}
    return json.dumps({**asked, **users, "seed": seed, "simulate": simulate}) + "\n"


def _clip(clip: Fraction | AdaptiveClip) -> str:
    return clip.name if isinstance(clip, AdaptiveClip) else text(clip)
