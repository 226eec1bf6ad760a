"""A mechanism running live: the same step that is enumerated, with draws from the operating system's entropy."""

import secrets
from collections.abc import Iterable
from typing import Any, Self, TypeVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import ArgumentError, MechanismError, expected, short
from dpcert.audit.identity import held
from dpcert.audit.kernels.border import answering
from dpcert.audit.kernels.combine import stepped
from dpcert.audit.kernels.draws import not_a_law
from dpcert.audit.kernels.release import HALT, Release
from dpcert.audit.kernels.view import view_of

T = TypeVar("T")


def sample(law: Pmf[T]) -> T:
    """An outcome with exactly the law's probabilities, by inverse cumulative weights over integers."""
    return law.outcome_at(secrets.randbelow(law.token_weights()[1]))


class Session:
    """(y_1, y_2, ...), one live run of a mechanism, every outcome drawn with exactly its probability.

    Args:
        mechanism: A PrefixCore, MarkovCore or Interactive; the object that audits analyse is the one that runs.
        draws: Outcomes to take instead of fresh ones, in order: a recorded run replays to the same transcript. Draws
            left over where the run ends (it halts, plays its last round, is closed, or leaves a `with`) are refused.
    Raises: MechanismError: an object that is no mechanism.
    Source: paper.tex, def:interaction.

    >>> from dpcert.mechanisms.shared_coin import SharedCoin
    >>> run = Session(SharedCoin())
    >>> first, second = run.send(1).visible, run.send(0).visible
    >>> Session(SharedCoin(), draws=run.draws).send(1).visible == first == second
    True
    """

    def __init__(self, mechanism: Any, *, draws: Iterable[Any] | None = None) -> None:
        self._mechanism = mechanism
        self._view = view_of(mechanism)
        self._state: Any = self._view.initial
        self._script = None if draws is None else tuple(draws)
        self._refusal: ArgumentError | None = None
        self._draws: list[Any] = []
        self._transcript: list[Release[Any, Any]] = []

    @property
    def draws(self) -> tuple[Any, ...]:
        """Every outcome drawn so far, in order. They give the hidden state away: keep them as secret as the inputs."""
        return tuple(self._draws)

    @property
    def transcript(self) -> tuple[Release[Any, Any], ...]:
        """The releases so far, one a round."""
        return tuple(self._transcript)

    @property
    def halted(self) -> bool:
        """Whether the last release was HALT."""
        return bool(self._transcript) and self._transcript[-1].visible is HALT

    def send(self, x: Any) -> Release[Any, Any]:
        """(v_t, y_t), the release that answers the next input. A round that fails was not played.

        Args:
            x: x_t, of the mechanism's alphabet.
        Returns: What is visible and what is hidden.
        Raises: ArgumentError: an input outside the alphabet, a session that has halted, or recorded draws that have
        run out, do not fit, or are left over at the end. MechanismError: the mechanism raised, or answered with
        something else than a release.
        """
        if self.halted:
            raise expected("a session that has not halted", rounds=len(self._transcript))
        if held(x, "input", copying=True) not in self._view.alphabet:
            raise expected(f"an input from {short(self._view.alphabet)}", x=x)
        horizon = self._view.horizon
        if horizon is not None and len(self._transcript) >= horizon:
            raise expected(f"at most {horizon} rounds, all the mechanism has,", round=len(self._transcript) + 1)
        before, self._refusal = len(self._draws), None
        try:
            with answering(f"{self._view.name}.step"):
                release, after = stepped(self._mechanism, self._state, x, self._draw)
                held(release.visible, "visible output")
            if release.visible is HALT or len(self._transcript) + 1 == horizon:
                self.close()
        except BaseException as error:
            del self._draws[before:]  # a round that failed was not played
            if self._refusal is not None:
                raise self._refusal from error
            raise
        self._state = after
        self._transcript.append(release)
        return release

    def close(self) -> None:
        """Says that the run is over; needed only to have recorded draws checked to the last one.

        Raises: ArgumentError: recorded draws are left over, so that this is not the run they were recorded in.
        """
        if self._script is not None and len(self._draws) < len(self._script):
            raise expected("every recorded draw to be used", recorded=len(self._script), used=len(self._draws))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self.close()

    def _draw(self, law: Pmf[T]) -> T:
        if not isinstance(law, Pmf):
            raise MechanismError(not_a_law(self._view.name, law))
        outcome = sample(law) if self._script is None else self._recorded(law, self._script)
        self._draws.append(outcome)
        return outcome

    def _recorded(self, law: Pmf[T], script: tuple[Any, ...]) -> T:
        """The next recorded draw; one that cannot be is the caller's fault, not the mechanism's."""
        at = len(self._draws)
        if at == len(script):
            self._refusal = ArgumentError(f"Expected recorded draws for every round but got {at}")
            raise self._refusal
        try:
            fits = law.probability(script[at]) > 0
        except ArgumentError:
            fits = False
        if not fits:
            self._refusal = expected("a recorded draw that the law can give", draw=script[at])
            raise self._refusal
        outcome: T = script[at]
        return outcome
