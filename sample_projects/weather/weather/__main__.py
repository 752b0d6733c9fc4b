"""Ask for the rain of a year, or draw a chart for each month: python -m weather rain|charts"""

import sys

from weather.charts import draw_year
from weather.rain import show_rain
from weather.store import Store


def main(command: str) -> None:
    """Do one of the two."""
    store = Store()
    store.fill()
    if command == "charts":
        print(*draw_year(store), sep="\n")
    else:
        print(*show_rain(store), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "rain")
