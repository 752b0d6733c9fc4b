"""The rain of each month: one thread asks the store, another one handles the answer, and the main one shows it."""

from queue import Queue
from threading import Thread

from weather.reading import read_line
from weather.store import Store


def ask(store: Store, answers: "Queue[list[str]]") -> None:
    """Ask the store for the whole year at once."""
    answers.put(store.query("2023-%"))


def wait_for_answer(answers: "Queue[list[str]]", results: "Queue[list[float]]") -> None:
    """Wait until all of the answer is there, then handle it."""
    results.put(handle_answer(answers.get()))


def handle_answer(lines: list[str]) -> list[float]:
    """The rain of each month."""
    months = [0.0] * 12
    for line in lines:
        reading = read_line(line)
        months[reading.month - 1] += reading.rain
    return months


def show_rain(store: Store) -> list[str]:
    """A line for each month."""
    answers: Queue[list[str]] = Queue()
    results: Queue[list[float]] = Queue()
    Thread(target=wait_for_answer, args=(answers, results), name="answer").start()
    Thread(target=ask, args=(store, answers), name="query").start()
    return [f"{month:2} {'#' * round(rain / 1000)}" for month, rain in enumerate(results.get(), 1)]
