"""Show a town: python -m town"""

from town.gui.window import show_town

if __name__ == "__main__":
    show_town(["1 ada 6 4 3", "2 ada 5 5 9", "3 ben 8 3 4"])
