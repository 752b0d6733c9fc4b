"""What the station measured, in a database."""

import sqlite3

EVERY = 30  # minutes
_MAKE = """
with recursive step(number) as (select 0 union all select number + 1 from step where number < :last)
insert into measured
select strftime('%Y-%m-%dT%H:%M', '2023-01-01', (number * :every) || ' minutes'), number * 7919 % 23, number * 127 % 17
from step
"""
_HOURS = """
select substr(moment, 1, 13) || ':00 rain=' || sum(rain) || ' wind=' || max(wind) from measured
where moment like ? group by substr(moment, 1, 13)
"""


class Store:
    """Rain and wind of a year, measured every half hour."""

    def __init__(self) -> None:
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        self._base.execute("create table measured (moment text, rain integer, wind integer)")

    def fill(self) -> None:
        """Make up a year."""
        self._base.execute(_MAKE, {"last": 365 * 24 * 60 // EVERY - 1, "every": EVERY})

    def query(self, moments: str) -> list[str]:
        """A line for each hour of some months, such as `2023-04-01T08:00 rain=54 wind=12` for `2023-04-%`."""
        return [line for (line,) in self._base.execute(_HOURS, (moments,))]
