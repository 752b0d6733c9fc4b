"""Which part of which trace is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace

Span = tuple[int, int]  # first and last time, ns
NO_FUNCTION = -1


@dataclass(frozen=True)
class Focus:
    """The part of a trace that the picture shows, and what of it is selected. All views share it.

    trace     its number among the open ones
    window    None = all of it
    threads   rows of its threads; None = all of them
    calls     rows of the calls that are selected
    function  the row of the function that is selected, `NO_FUNCTION` = none
    """

    trace: int = 0
    window: Span | None = None
    threads: frozenset[int] | None = None
    calls: tuple[int, ...] = ()
    function: int = NO_FUNCTION

    def shows_same(self, other: Focus) -> bool:
        """Whether both show the same part, whatever is selected there."""
        return (self.trace, self.window, self.threads) == (other.trace, other.window, other.threads)

    def within(self, span: Span) -> Span:
        """The window, cut to what the trace spans."""
        if self.window is None:
            return span
        first, last = (min(max(end, span[0]), span[1]) for end in self.window)
        return first, last

    def moved(self, by: int, span: Span) -> Focus:
        """The window moved by ns, as far as the trace reaches."""
        first, last = self.within(span)
        by = min(max(by, span[0] - first), span[1] - last)
        return replace(self, window=(first + by, last + by))

    def zoomed(self, factor: float, around: int, span: Span) -> Focus:
        """The window `factor` times as long, with `around` where it is; all of the trace where it would be longer."""
        first, last = self.within(span)
        start = around - round((around - first) * factor)
        end = around + round((last - around) * factor)
        if start <= span[0] and end >= span[1]:
            return replace(self, window=None)
        if end - start < 1:
            start, end = around, around + 1
        return replace(self, window=(max(start, span[0]), min(end, span[1])))
