"""A chart for each month, drawn by a worker."""

from threading import Thread

from weather.reading import read_line
from weather.store import Store


def draw_chart(store: Store, month: int, charts: dict[int, str]) -> None:
    """The wind of a month, a letter for each day."""
    days = [0.0] * 31
    for line in store.query(f"2023-{month:02}-%"):
        reading = read_line(line)
        days[int(reading.moment[8:10]) - 1] += reading.wind / 24
    charts[month] = "".join("▁▂▃▄▅▆▇█"[min(int(day), 7)] for day in days)


def draw_year(store: Store) -> list[str]:
    """A chart for each month."""
    charts: dict[int, str] = {}
    for month in range(1, 13):
        worker = Thread(target=draw_chart, args=(store, month, charts), name=f"chart {month}")
        worker.start()
        worker.join()
    return [charts[month] for month in sorted(charts)]
