"""Browsers to be driven without a library: Firefox by its own Marionette, Chromium and WebKit by their WebDriver.

All draw WebGL in software; those with a window have it on an X server of their own. Only what is installed is offered:

| browser | programs | Debian packages |
|---|---|---|
| firefox, firefox-resisting | firefox or firefox-esr, and Xvfb | firefox-esr xvfb |
| chromium | chromium (or google-chrome) and chromedriver | chromium chromium-driver |
| webkit | WebKitWebDriver, MiniBrowser and Xvfb | webkit2gtk-driver libwebkit2gtk-4.1-0 xvfb |
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar

from PIL import Image, ImageGrab

WAIT = 60.0  # s until a browser answers
SLOW = 90.0  # s until a command is done
_SOFTWARE = {"LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1", "WAYLAND_DISPLAY": "", "GDK_BACKEND": "x11"}
MINI_BROWSERS = sorted(Path("/usr").glob("lib*/**/webkit2gtk-4.*/MiniBrowser"))


def program(*names: str) -> str:
    """The path of the first that is installed; empty = none is."""
    return next((found for name in names if (found := shutil.which(name))), "")


XVFB = program("Xvfb")


class Browser:
    """A window of `width` x `height` CSS pixels with so many device pixels in each.

    `ratio`   device pixels of a CSS pixel
    Call `close` at the end.
    """

    name = ""

    def __init__(self, width: int, height: int, ratio: float = 1.0) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"{self.name}-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            self._begin(width, height, ratio)
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def _begin(self, width: int, height: int, ratio: float) -> None:
        raise NotImplementedError

    def _ask(self, what: str, **values: Any) -> Any:
        """The answer to a command, by its name in W3C WebDriver."""
        raise NotImplementedError

    def _start(self, *command: str | Path, **environment: str) -> None:
        log = (self.folder / f"{Path(command[0]).name}.log").open("wb")
        with log:
            self._processes.append(subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **environment}))

    def _screen(self, width: int, height: int) -> str:
        """The display of an X server that is this large."""
        number = self.folder / "display"
        command = [XVFB, "-displayfd", "1", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"]
        with number.open("wb") as file:
            self._processes.append(subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL))
        until(lambda: number.read_text().endswith("\n"), WAIT, "Xvfb does not start")
        return f":{number.read_text().strip()}"

    def resize(self, width: int, height: int) -> None:
        """Give the page so many CSS pixels."""
        for _ in range(3):  # the frame is known only with a window
            outer, inner = self.run("return [[outerWidth, outerHeight], [innerWidth, innerHeight]]")
            if inner == [width, height]:
                return
            self._ask("Set Window Rect", width=width + outer[0] - inner[0], height=height + outer[1] - inner[1])
            until(lambda: self.run("return innerWidth") == width, 3.0)

    def open(self, address: str) -> None:
        """Load a page and wait until it is there."""
        self._ask("Navigate To", url=address)

    def run(self, script: str, *values: Any) -> Any:
        """What the body of a function in JavaScript returns; `values` are its `arguments`."""
        return self._ask("Execute Script", script=script, args=list(values))

    def shot(self) -> Image.Image:
        """What is seen, in device pixels, RGB."""
        answer = self._ask("Take Screenshot")
        return Image.open(BytesIO(b64decode(answer))).convert("RGB")

    def pointer(self, *steps: dict[str, Any]) -> None:
        """Do with the mouse what W3C calls pointer actions."""
        self._act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(steps)})

    def move(self, x: float, y: float) -> None:
        """Point at a place of the page."""
        self.pointer({"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0})

    def click(self, x: float, y: float) -> None:
        """Press and release the left button there."""
        self.drag([(x, y)])

    def drag(self, places: list[tuple[float, float]]) -> None:
        """Press the left button at the first place, release it at the last one."""
        moves = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 20} for x, y in places]
        self.pointer(moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0})

    def wheel(self, x: float, y: float, turn: float) -> None:
        """Turn the wheel by so many pixels there; up is negative."""
        step = {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": round(turn), "duration": 0}
        self._act({"type": "wheel", "id": "wheel", "actions": [step]})

    def keys(self, text: str) -> None:
        """Press and release each key; special ones have the letters that W3C gives them."""
        steps = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keys", "actions": steps})

    def _act(self, source: dict[str, Any]) -> None:
        self._ask("Perform Actions", actions=[source])

    def close(self) -> None:
        """End the programs that were started and remove what they left."""
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Firefox(Browser):
    """By the protocol that geckodriver would speak for us: length:JSON over a socket."""

    name = "firefox"
    binary = program("firefox", "firefox-esr")
    preferences: ClassVar[dict[str, object]] = {}  # beyond those for being driven
    _NAMES: ClassVar = {
        "Set Window Rect": "SetWindowRect",
        "Navigate To": "Navigate",
        "Execute Script": "ExecuteScript",
        "Take Screenshot": "TakeScreenshot",
        "Perform Actions": "PerformActions",
        "New Session": "NewSession",
    }

    @classmethod
    def missing(cls) -> str:
        """What has to be installed; empty = nothing."""
        return " and ".join(name for name, path in (("firefox", cls.binary), ("Xvfb", XVFB)) if not path)

    def _begin(self, width: int, height: int, ratio: float) -> None:
        prefs = {
            "marionette.port": 0,
            "layout.css.devPixelsPerPx": str(ratio),
            "webgl.force-enabled": True,
            "browser.shell.checkDefaultBrowser": False,
            "datareporting.policy.dataSubmissionEnabled": False,
            "toolkit.telemetry.enabled": False,
            "app.update.enabled": False,
            **self.preferences,
        }
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in prefs.items()]
        (self.folder / "user.js").write_text("\n".join(lines))
        self._start(
            self.binary,
            "--marionette",
            "--no-remote",
            "--profile",
            self.folder,
            HOME=str(self.folder),
            DISPLAY=self._screen(round(width * ratio) + 100, round(height * ratio) + 300),
            **_SOFTWARE,
        )
        port = self.folder / "MarionetteActivePort"
        until(lambda: port.is_file() and port.read_text().strip(), WAIT, "Firefox does not start")
        self._socket = socket.create_connection(("127.0.0.1", int(port.read_text())), SLOW)
        self._count = 0
        self._read()
        self._ask("New Session", strictFileInteractability=False)

    def _ask(self, what: str, **values: Any) -> Any:
        self._count += 1
        if what == "Take Screenshot":
            values["full"] = False
        text = json.dumps([0, self._count, f"WebDriver:{self._NAMES[what]}", values]).encode()
        self._socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, answer = self._read()
        if error:
            raise RuntimeError(f"{self.name}: {error['error']}: {error['message']}")
        return answer["value"] if isinstance(answer, dict) and "value" in answer else answer

    def _read(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            length += self._socket.recv(1)
        left, parts = int(length[:-1]), []
        while left:
            parts.append(self._socket.recv(min(left, 1 << 20)))
            left -= len(parts[-1])
        return json.loads(b"".join(parts))

    def close(self) -> None:
        if hasattr(self, "_socket"):
            self._socket.close()
        super().close()


class ResistingFirefox(Firefox):
    """As Tor's browser and LibreWolf have it: what was drawn reads as noise, textures are small."""

    name = "firefox-resisting"
    preferences: ClassVar[dict[str, object]] = {
        "privacy.resistFingerprinting": True,
        "privacy.resistFingerprinting.letterboxing": False,
    }


class _WebDriver(Browser):
    """By a program that speaks W3C WebDriver over HTTP."""

    _PATHS: ClassVar = {
        "Set Window Rect": "window/rect",
        "Navigate To": "url",
        "Execute Script": "execute/sync",
        "Perform Actions": "actions",
        "Take Screenshot": "screenshot",
    }

    def _connect(self, driver: str, capabilities: dict[str, Any], *options: str, **environment: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._start(driver, f"--port={port}", *options, **environment)
        self._address = f"http://127.0.0.1:{port}/session"
        until(lambda: _listens(port), WAIT, f"{driver} does not start")
        answer = self._send(self._address, {"capabilities": {"alwaysMatch": capabilities}})
        self._address += f"/{answer['sessionId']}"

    def _ask(self, what: str, **values: Any) -> Any:
        return self._send(f"{self._address}/{self._PATHS[what]}", None if what == "Take Screenshot" else values)

    def _send(self, address: str, values: Any) -> Any:
        data = None if values is None else json.dumps(values).encode()
        request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=SLOW) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{self.name}: {error.read().decode(errors='replace')[:2000]}") from None

    def close(self) -> None:
        if self._address.count("/") > 3:
            request = urllib.request.Request(self._address, method="DELETE")
            with suppress(OSError):
                urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20).close()
        super().close()

    _address = ""


class Chromium(_WebDriver):
    """By chromedriver."""

    name = "chromium"
    binary, driver = program("chromium", "chromium-browser", "google-chrome"), program("chromedriver")

    @classmethod
    def missing(cls) -> str:
        """What has to be installed; empty = nothing."""
        return " and ".join(name for name, path in (("chromium", cls.binary), ("chromedriver", cls.driver)) if not path)

    def _begin(self, width: int, height: int, ratio: float) -> None:
        options = [
            "--headless=new",
            f"--window-size={width},{height + 100}",
            f"--force-device-scale-factor={ratio:g}",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            f"--user-data-dir={self.folder / 'profile'}",
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")
        self._connect(self.driver, {"goog:chromeOptions": {"binary": self.binary, "args": options}})


class WebKit(_WebDriver):
    """By WebKitWebDriver, in an X server of its own. GTK takes whole device pixels only."""

    name = "webkit"
    driver = program("WebKitWebDriver")
    _turned = 0.0

    @classmethod
    def missing(cls) -> str:
        """What has to be installed; empty = nothing."""
        parts = (("WebKitWebDriver", cls.driver), ("MiniBrowser", MINI_BROWSERS), ("Xvfb", XVFB))
        return " and ".join(name for name, path in parts if not path)

    def _begin(self, width: int, height: int, ratio: float) -> None:
        self._display = self._screen(round(width * ratio) + 100, round(height * ratio) + 300)
        capabilities = {
            "webkitgtk:browserOptions": {
                "binary": str(MINI_BROWSERS[-1]),
                "args": ["--automation", f"--geometry={width}x{height + 60}"],
            }
        }
        self._connect(
            self.driver,
            capabilities,
            DISPLAY=self._display,
            GDK_SCALE=f"{ratio:g}",
            HOME=str(self.folder),
            XDG_RUNTIME_DIR=str(self.folder),
            **_SOFTWARE,
        )

    def wheel(self, x: float, y: float, turn: float) -> None:
        """Its driver passes on by how much a turn is more than the one before."""
        self._turned += turn
        super().wheel(x, y, self._turned)

    def shot(self) -> Image.Image:
        """From the X server: its own picture of the page never comes."""
        outer, wide, tall, ratio = self.run("return [outerHeight, innerWidth, innerHeight, devicePixelRatio]")
        box = (0, round((outer - tall) * ratio), round(wide * ratio), round(outer * ratio))
        return ImageGrab.grab(xdisplay=self._display).convert("RGB").crop(box)


BROWSERS: tuple[type[Firefox] | type[Chromium] | type[WebKit], ...] = (Firefox, ResistingFirefox, Chromium, WebKit)


def until(done: Callable[[], Any], seconds: float, complaint: str = "") -> bool:
    """Wait until `done`. Raises RuntimeError with the complaint after so many seconds; without one, gives False."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            if complaint:
                raise RuntimeError(complaint)
            return False
        time.sleep(0.02)
    return True


def _listens(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0
