"""Hands its own code to the framework."""

from framework import App, labels, make, run
from helpers import described

app = App()


@app.route("/")
def index():
    return described("index")


def job():
    return index()


class Cart:
    def shop_label(self):
        return "cart"


run(job)
make(Cart)
labels(Cart())
app.add("/job", job)
app.dispatch("/")
