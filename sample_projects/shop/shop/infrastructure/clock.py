"""The time, in one place, so that tests can stop it."""

from datetime import datetime, timezone

_stopped: list[datetime] = []


def now() -> datetime:
    """The time in UTC, or that at which the clock was stopped."""
    return _stopped[-1] if _stopped else datetime.now(timezone.utc)


def stop(at: datetime) -> None:
    """Let it be `at` from now on."""
    _stopped.append(at)


def go_on() -> None:
    """Let time pass again."""
    _stopped.clear()
