"""Record the calls of the Python program that imports this file: the standard library alone, from Python 3.8 on.

In a program that `cbvtool trace record` started, it is the module `cbvtool_recorder`, with `start` and `stop`.

A recording is a folder. Each process appends lines to `PID-BEGIN.process`: its functions, threads and objects. Each of
its threads appends chunks to `PID-BEGIN-THREAD.events`. A chunk is `CBVR`, two uint32 (tags, values), then the tags
(uint32) and the values (int64). A negative value is the end of the innermost call, at that time. Any other value
belongs to the next tag: from 32 on a function, whose call begins at that time; below 32 what is listed here. Times are
ns of the monotonic clock. A file that was cut off is read as far as it goes.
"""

import _thread
import atexit
import io
import os
import sys
import threading
import time
import weakref
from array import array

# It takes the place of parts of the standard library of six versions of Python, some of which have no such part.
# mypy: ignore-errors

IGNORED = 0  # a call that is not shown: of the recorder, or around the start of recording
RESUMED = 1  # this call resumes the frame with that number
FRAME = 2  # this call begins the frame of that number, of a generator or coroutine
CPU = 3  # thread CPU time in ns: behind a begin, before an end
OBJECT, WAIT_BEGIN, WAIT_END, RELEASE = 4, 5, 6, 7  # number of an object; times
THREAD_CREATED, PROCESS_CREATED, FORKED = 8, 9, 10  # number of the thread; process id; number of the fork
TASK = 11  # number of the asyncio task that this call is a step of
READ_BEGIN, WRITE_BEGIN, IO_END, IO_BYTES = 12, 13, 14, 15  # times; bytes or 2**62 = not known
ARGUMENT, VALUE, RETURNED = 16, 17, 18  # numbers of texts
STOPPED = 19  # recording stopped at that time: the calls that are open go on unseen
FIRST_FUNCTION = 32

VERSION = "1"
CHUNK = 4096  # values
MOST_FUNCTIONS = (
    200_000  # that are held at once, so that a program that makes code without end does not fill the memory
)
MOST_TEXTS = 20_000
MOST_WAIT = 1_000_000_000  # ns that stopping waits for events of other threads
UNKNOWN_BYTES = 2**62
LEAST_IO = 10_000  # ns that a method of a file takes if it is noted
_GENERATOR = (
    0x20 | 0x80 | 0x100 | 0x200
)  # flags of code: generator, coroutine, iterable coroutine, asynchronous generator
_COROUTINE = 0x80

_now = time.perf_counter_ns
_sleep = time.sleep
_cpu = time.thread_time_ns
_ident = _thread.get_ident
_getframe = sys._getframe
_monitoring = getattr(sys, "monitoring", None)
_open, _write, _close, _unlink = os.open, os.write, os.close, os.unlink
_exit, _kill, _getpid = os._exit, getattr(os, "kill", None), os.getpid
_allocate_lock, _start_thread = _thread.allocate_lock, _thread.start_new_thread
_RLock = threading.RLock


class _Tag:
    """A tag that is no function, in place of a code object."""

    def __init__(self, number):
        self.number = number


_RESUMED, _FRAME, _CPU, _OBJECT = _Tag(RESUMED), _Tag(FRAME), _Tag(CPU), _Tag(OBJECT)
_WAIT_BEGIN, _WAIT_END, _RELEASE = _Tag(WAIT_BEGIN), _Tag(WAIT_END), _Tag(RELEASE)
_THREAD_CREATED, _PROCESS_CREATED, _FORKED = _Tag(THREAD_CREATED), _Tag(PROCESS_CREATED), _Tag(FORKED)
_TASK, _STOPPED, _IGNORED = _Tag(TASK), _Tag(STOPPED), _Tag(IGNORED)
_READ_BEGIN, _WRITE_BEGIN, _IO_END, _IO_BYTES = _Tag(READ_BEGIN), _Tag(WRITE_BEGIN), _Tag(IO_END), _Tag(IO_BYTES)
_ARGUMENT, _VALUE, _RETURNED = _Tag(ARGUMENT), _Tag(VALUE), _Tag(RETURNED)
_TAGS = [value for value in list(globals().values()) if isinstance(value, _Tag)]


class _Options:
    """What `options` in the folder of the recording says, one `name<TAB>value` a line."""

    def __init__(self, lines):
        given = dict(line.split("\t", 1) for line in lines if "\t" in line)
        self.cpu_time = given.get("cpu_time") == "1"
        self.cpu_depth = int(given.get("cpu_depth", 0))
        self.delay = float(given.get("delay", 0))
        self.duration = float(given.get("duration", 0))
        self.paused = given.get("paused") == "1"
        self.signal = int(given.get("signal", 0))
        self.last = float(given.get("last", 0))
        self.sample = float(given.get("sample", 0))
        self.limit = int(given.get("limit", 0))
        self.c_functions = given.get("c_functions") == "1"
        self.objects = given.get("objects", "1") == "1"
        self.arguments = int(given.get("arguments", 0))
        self.exclude = [line.split("\t", 1)[1] for line in lines if line.startswith("exclude\t")]


class _Buffer:
    """What one thread has done and not written yet. `codes` has an entry for each value that is not negative."""

    __slots__ = (
        "began",
        "busy",
        "codes",
        "depth",
        "epoch",
        "ident",
        "named",
        "native",
        "notified",
        "number",
        "segment",
        "segment_begin",
        "times",
        "waits",
    )

    def __init__(self, number, epoch):
        self.number, self.epoch = number, epoch
        self.codes, self.times = [], []
        self.native = _thread.get_native_id() if hasattr(_thread, "get_native_id") else _ident()
        self.segment, self.segment_begin = 0, _now()
        self.depth = self.busy = 0
        self.notified = 0  # when a condition was notified first, within a method that releases
        self.waits = []  # under way: (number of the object, time, what it released)
        self.began, self.named, self.ident = _now(), False, _ident()


class _Recorder:
    """Records this process."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.active, self.epoch, self.finished, self.in_hook = False, 0, False, True
        self.tool = None
        self.threads = self.forks = 0
        self.sampler = _Sampler(self)
        self.controlled = bool(options.delay or options.duration or options.paused or options.signal or options.last)
        self.lock = _RLock()
        self.parent = ("", 0)
        self._new_process()

    def _new_process(self):
        self.pid, self.began = _getpid(), _now()
        self.stem = os.path.join(self.folder, "%d-%d" % (self.pid, self.began))
        self.numbers = {id(tag): tag.number for tag in _TAGS}
        self.functions = FIRST_FUNCTION
        self.held = []
        self.texts, self.text_number, self.objects = {}, 0, 0
        self.names, self.modules, self.modules_seen = {}, {}, -1
        self.buffers, self.by_ident = [], {}
        self.live = {}  # thread -> the lists of its buffer, from its first event on: what each event looks up
        self.counts, self.open_frames, self.cut, self.seen_codes = {}, {}, 0, {}
        self.first_offsets, self.c_names = {}, {}
        self.tasks, self.files = {}, {}
        self.lost = 0
        self._line(
            "process",
            VERSION,
            self.pid,
            os.getppid() if hasattr(os, "getppid") else 0,
            time.time_ns(),
            self.began,
            sys.executable,
            ".".join(map(str, sys.version_info[:3])),
            os.environ.get("PYTHONHASHSEED", ""),
            *self.parent,
        )

    # Files. Each write opens its file anew: a program may close every descriptor that it did not open.

    def _append(self, path, data):
        try:
            number = _open(
                path,
                os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0),
                0o644,
            )
            try:
                while data:
                    data = data[_write(number, data) :]
            finally:
                _close(number)
        except OSError:
            self.lost += 1  # a full disk is no reason for the program to stop

    def _line(self, *fields):
        text = "\t".join(
            str(field).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
            for field in fields
        )
        self._append(self.stem + ".process", (text + "\n").encode("utf-8", "backslashreplace"))

    def flush(self, buffer):
        """Write what a thread has recorded, in the order in which it was recorded, whoever asks for it."""
        with self.lock:
            self._flush(buffer)

    def _flush(self, buffer):
        codes, times = buffer.codes, buffer.times
        if not times:
            return
        if not buffer.named:
            self._name_thread(buffer, buffer.began)
        values, whats = array("q", times), codes[:]  # what the garbage collector calls meanwhile may append to them
        del times[: len(values)], codes[: len(whats)]
        get = self.numbers.get
        try:
            tags = array("I", map(get, map(id, whats)))
        except TypeError:  # one has no number yet
            self._number(whats)
            tags = array("I", map(self.numbers.get, map(id, whats)))
        path = "%s-%d.events" % (self.stem, buffer.number)
        if self.options.last:
            path = self._segment(buffer, path)
        self._append(path, b"CBVR" + array("I", (len(tags), len(values))).tobytes() + tags.tobytes() + values.tobytes())

    def _segment(self, buffer, path):
        """Two files in turn, each of `last` seconds at least: the older one is overwritten."""
        if _now() - buffer.segment_begin > self.options.last * 1e9:
            buffer.segment += 1
            buffer.segment_begin = _now()
            if buffer.segment > 1:
                try:
                    _unlink(path.replace(".events", ".%d.events" % (buffer.segment - 2)))
                except OSError:
                    pass
            if buffer.segment:
                buffer.epoch = -1  # the new file begins with the calls that are open
        return path.replace(".events", ".%d.events" % buffer.segment)

    def flush_all(self):
        for buffer in list(self.buffers):
            self.flush(buffer)

    # Functions

    def _number(self, whats):
        with self.lock:
            if len(self.held) > MOST_FUNCTIONS:
                self.held, self.names = [], {}
                self.numbers = {id(tag): tag.number for tag in _TAGS}
            lines = []
            for what in whats:
                key = id(what)
                if key in self.numbers:
                    continue
                self.held.append(what)
                if type(what) is tuple:
                    name, module, file, line = what[1], what[0], "", 0
                else:
                    file, line = what.co_filename, what.co_firstlineno
                    if file in (__file__, _HOOK):
                        self.numbers[key] = IGNORED
                        continue
                    name, module = self._qualified(what), self._module(file)
                self.numbers[key] = self.functions
                lines.append(("function", self.functions, name, module, file, line))
                self.functions += 1
            for line in lines:
                self._line(*line)

    def _qualified(self, code):
        name = getattr(code, "co_qualname", None)
        if name is not None:
            return name
        if code.co_name == "<module>":
            self._walk(code, "")
        elif id(code) not in self.names and self.modules_seen != len(sys.modules):
            self._module("")
        return self.names.get(id(code), code.co_name)

    def _walk(self, code, prefix):
        """Qualified names of the code inside `code`, by the rules of the compiler (before 3.11)."""
        for inner in code.co_consts:
            if isinstance(inner, type(code)):
                name = prefix + inner.co_name
                self.names[id(inner)] = name
                self.held.append(inner)
                self._walk(inner, name + (".<locals>." if inner.co_flags & 2 else "."))

    def _module(self, file):
        if self.modules_seen != len(sys.modules):
            self.modules_seen = len(sys.modules)
            for name, module in list(sys.modules.items()):
                try:
                    place = module.__file__
                except Exception:
                    continue
                if isinstance(place, str) and place not in self.modules:
                    self.modules[place] = name
                    if sys.version_info < (3, 11):
                        self._names_in(module.__dict__, name, 0)
        if file not in self.modules and getattr(sys.modules.get("__main__"), "__file__", None) == file:
            return "__main__"
        return self.modules.get(file, "")

    def _names_in(self, namespace, module, depth):
        for value in list(namespace.values()):
            if isinstance(value, (classmethod, staticmethod)):
                value = value.__func__
            elif isinstance(value, property):
                value = value.fget
            if type(value).__name__ == "function" and value.__code__.co_filename == __file__:
                value = getattr(value, "__wrapped__", value)
            code = getattr(value, "__code__", None) if type(value).__name__ == "function" else None
            if code is not None and id(code) not in self.names:
                self.names[id(code)] = value.__qualname__
                self.held.append(code)
                self._walk(code, value.__qualname__ + ".<locals>.")
            elif isinstance(value, type) and depth < 4 and value.__dict__.get("__module__") == module:
                self._names_in(value.__dict__, module, depth + 1)

    def text(self, value):
        """The number of a text in the recording."""
        with self.lock:
            number = self.texts.get(value)
            if number is None:
                if len(self.texts) > MOST_TEXTS:
                    self.texts = {}
                number = self.texts[value] = self.text_number
                self.text_number += 1
                self._line("text", number, value)
            return number

    def object(self, kind, key, name=""):
        """A number for something that is waited for or written to."""
        with self.lock:
            number = self.objects
            self.objects += 1
            self._line("object", number, kind, key, name)
            return number

    # Threads

    def buffer(self, frame, own=None):
        """The buffer of this thread. A new one begins with the calls that are running: `frame` and those below it."""
        ident = _ident()
        buffer = self.by_ident.get(ident) if own is None else None
        if buffer is None:
            with self.lock:
                if own is None:
                    self.threads += 1
                    own = self.threads
                buffer = _Buffer(own, -1)
                self.buffers.append(buffer)
                self.by_ident[ident] = buffer
        if buffer.epoch != self.epoch:
            self._running(buffer, frame)
        self.live[ident] = buffer.codes, buffer.times
        return buffer

    def _late(self, frame):
        """The same for the end of a call, which may be the last of a thread that has been written: nobody reads it."""
        if frame.f_code.co_filename == __file__ and _ident() not in self.by_ident:
            return _Buffer(0, self.epoch)
        return self.buffer(frame)

    def _running(self, buffer, frame):
        """Begin the calls anew that are running: it is the first event, or one after a pause or in a new file."""
        buffer.epoch = self.epoch
        frames = []
        while frame is not None:
            frames.append(frame)
            frame = frame.f_back
        frames.reverse()
        now = _now()
        codes, times = [_STOPPED], [now]
        for frame in frames:
            codes.append(_IGNORED if self.in_hook else frame.f_code)
            times.append(now)
            if frame.f_code.co_flags & _GENERATOR and not self.in_hook:
                codes.append(_FRAME)
                times.append(id(frame))
        buffer.codes += codes
        buffer.times += times
        buffer.depth = len(frames)

    def _name_thread(self, buffer, time, owner=None):
        """Write a line about a thread. `owner` is its `threading.Thread`, where known."""
        buffer.named = True
        owner = owner or threading._active.get(buffer.ident)
        name = getattr(owner, "name", "MainThread" if buffer.ident == _MAIN else "")
        self._line("thread", buffer.number, buffer.native, name, time)

    def current(self):
        """The buffer of this thread, where it records."""
        if not self.active or self.options.sample:
            return None
        buffer = self.by_ident.get(_ident())
        return buffer if buffer is not None and buffer.epoch == self.epoch else None

    def note(self, tag, value):
        """Put something behind the last event of this thread."""
        buffer = self.current()
        if buffer is not None:
            buffer.codes.append(tag)
            buffer.times.append(value)

    def note_object(self, number, tags, values):
        """Put what happened to an object behind the last event of this thread."""
        buffer = self.current()
        if buffer is not None:
            buffer.codes += (_OBJECT,) + tags
            buffer.times.extend((number,) + values)

    def note_wait(self, number, begin, also=()):
        """A wait that ends now. `also`: numbers of objects that it released when it began."""
        buffer, end = self.current(), _now()
        if buffer is not None and number >= 0:
            buffer.codes += (_OBJECT, _WAIT_BEGIN, _WAIT_END) + (_OBJECT, _RELEASE) * len(also)
            buffer.times.extend((number, begin, end))
            for other in also:
                buffer.times.extend((other, begin))

    def _note_under_way(self, buffer):
        """Note the waits that are under way, which have no end."""
        for number, begin, also in [wait for wait in buffer.waits if wait[0] >= 0]:
            buffer.codes += (_OBJECT, _WAIT_BEGIN) + (_OBJECT, _RELEASE) * len(also)
            buffer.times.extend((number, begin))
            for other in also:
                buffer.times.extend((other, begin))

    def thread_created(self):
        """A number for a thread that this one creates."""
        with self.lock:
            self.threads += 1
            number = self.threads
        self.note(_THREAD_CREATED, number)
        return number

    def thread_begins(self, number):
        """Record this thread, which has that number."""
        if self.options.sample or self.finished:
            return None
        buffer = self.by_ident.get(_ident())
        if buffer is None:
            buffer = self.buffer(_getframe(0), number)
        buffer.number = number
        if _monitoring is None:
            sys.setprofile(self._profile(buffer))
        return buffer

    def thread_ends(self, buffer, owner):
        """Write what is left of a thread."""
        if _monitoring is None:
            sys.setprofile(None)
        if buffer is None or buffer not in self.buffers:
            return
        self.flush(buffer)
        self._name_thread(buffer, _now(), owner)
        with self.lock:
            self.buffers.remove(buffer)
            if self.by_ident.get(_ident()) is buffer:
                del self.by_ident[_ident()]
        self.live.pop(_ident(), None)

    # Start and stop

    def start(self):
        """Record from now on, in all threads."""
        if self.active or self.finished:
            return
        self.epoch += 1
        self.live = {}
        self.active = True
        self._line("start", _now())
        if self.options.sample:
            self.sampler.start()
        elif _monitoring is not None:
            self._listen()
            self.buffer(_getframe(0))
            events = _monitoring.events
            wanted = (
                events.PY_START
                | events.PY_RESUME
                | events.PY_THROW
                | events.PY_RETURN
                | events.PY_YIELD
                | events.PY_UNWIND
            )
            if self.options.c_functions or self.options.objects:
                wanted |= events.CALL
            _monitoring.set_events(self.tool, wanted)
        elif not self.controlled:
            sys.setprofile(self._profile(self.buffer(_getframe(0))))

    def watch(self):
        """Get ready to be started from outside: before 3.12 every thread needs its profile function beforehand."""
        if _monitoring is None and self.controlled and not self.options.sample:
            sys.setprofile(self._profile(self.buffer(_getframe(0))))

    def stop(self):
        """Record no more, until `start`."""
        if not self.active:
            return
        self.active = False
        if self.options.sample:
            self.sampler.stop()
        elif _monitoring is not None:
            _monitoring.set_events(self.tool, 0)
        if _records(_getframe(1)):  # a signal in the middle of an event, which goes on when this returns
            _start_thread(self._close, (self.epoch,))
        else:
            self._close(self.epoch)

    def _close(self, epoch):
        """End the open calls of all threads, each behind the event that its thread may be in the middle of."""
        own, most = _ident(), _now() + MOST_WAIT
        while _now() < most and any(_records(frame) for ident, frame in sys._current_frames().items() if ident != own):
            _sleep(0.0005)
        if self.epoch != epoch:  # recording has been started again
            return
        now = _now()
        for buffer in list(self.buffers):
            self._note_under_way(buffer)
            buffer.codes.append(_STOPPED)
            buffer.times.append(now)
        self.flush_all()
        self._line("stop", now)

    # Python 3.12 and later

    def _listen(self):
        if self.tool is None:
            for tool in (4, 3, 2):
                try:
                    _monitoring.use_tool_id(tool, "cbvtool")
                except ValueError:
                    continue
                self.tool = tool
                break
            else:
                raise RuntimeError("no free tool id")
        options = self.options
        plain = not (options.limit or options.exclude or options.cpu_time or options.arguments)
        start, resume, throw, end, suspend, unwind = self._plain_callbacks() if plain else self._callbacks()
        events = _monitoring.events
        register = _monitoring.register_callback
        for event, callback in (
            (events.PY_START, start),
            (events.PY_RESUME, resume),
            (events.PY_THROW, throw),
            (events.PY_RETURN, end),
            (events.PY_YIELD, suspend),
            (events.PY_UNWIND, unwind),
        ):
            register(self.tool, event, callback)
        if options.c_functions or options.objects:
            call, leave = self._c_callbacks() if options.c_functions else self._io_callbacks()
            register(self.tool, events.CALL, call)
            register(self.tool, events.C_RETURN, leave)
            register(self.tool, events.C_RAISE, leave)

    def _plain_callbacks(self):
        live, ident, now, fresh, late, written = self.live, _ident, _now, self.buffer, self._late, self._written
        task = self._task

        def start(code, offset):
            try:
                codes, times = live[ident()]
            except KeyError:
                codes, times = fresh(_getframe(1).f_back) and live[ident()]
            codes.append(code)
            times.append(now())
            if code.co_flags & _GENERATOR:
                frame = _getframe(1)
                codes.append(_FRAME)
                times.append(id(frame))
                if code.co_flags & _COROUTINE:
                    task(codes, times, frame.f_back)

        def resume(code, offset, error=None):
            frame = _getframe(1)
            try:
                codes, times = live[ident()]
            except KeyError:
                codes, times = fresh(frame.f_back) and live[ident()]
            codes.append(code)
            times.append(now())
            codes.append(_RESUMED)
            times.append(id(frame))
            if code.co_flags & _COROUTINE:
                task(codes, times, frame.f_back)

        def end(code, offset, value):
            try:
                times = live[ident()][1]
            except KeyError:
                times = late(_getframe(1)).times
            times.append(-now())
            if len(times) >= CHUNK:
                written()

        return start, resume, resume, end, end, end

    def _written(self):
        """Write what this thread has recorded. In a new file its next event begins with the calls that run."""
        buffer = self.by_ident.get(_ident())
        if buffer is not None:
            self.flush(buffer)
            if buffer.epoch < 0:
                self.live.pop(_ident(), None)

    def _callbacks(self):
        """Callbacks that ask first whether the function is to be recorded."""
        live, ident, fresh, counts, open_frames = self.live, _ident, self.buffer, self.counts, self.open_frames
        buffers, late = self.by_ident, self._late
        first_seen, begin, finish, cut = self._first_seen, self._begin, self._finish, self._cut
        disable = _monitoring.DISABLE

        def start(code, offset):
            key = id(code)
            left = counts.get(key)
            if left is None:
                left = first_seen(code)
            if left <= 0:
                cut(code, _getframe(1))
                return disable
            counts[key] = left - 1
            if ident() not in live:
                fresh(_getframe(1).f_back)
            begin(buffers[ident()], code, _getframe(1), False)

        def resume(code, offset, error=None):
            key = id(code)
            left = counts.get(key)
            if left is None:
                left = first_seen(code)
            if left <= 0:
                cut(code, _getframe(1))
                return None if error is not None else disable
            counts[key] = left - 1
            if ident() not in live:
                fresh(_getframe(1).f_back)
            begin(buffers[ident()], code, _getframe(1), True)

        def left_out(code, frame, may_disable):
            """None = record the end of the call; else what the callback returns, in a tuple."""
            frames = open_frames.get(id(code))
            if frames is None:
                return None
            if id(frame) in frames:
                frames.discard(id(frame))
                return None
            return (disable if may_disable and not frames else None,)

        def end(code, offset, value):
            if open_frames:
                answer = left_out(code, _getframe(1), True)
                if answer is not None:
                    return answer[0]
            finish(buffers[ident()] if ident() in live else late(_getframe(1)), value)

        def suspend(code, offset, value):
            if open_frames:
                answer = left_out(code, _getframe(1), True)
                if answer is not None:
                    return answer[0]
            finish(buffers[ident()] if ident() in live else late(_getframe(1)), _NOTHING)

        def unwind(code, offset, error):
            if open_frames:
                answer = left_out(code, _getframe(1), False)
                if answer is not None:
                    return
            finish(buffers[ident()] if ident() in live else late(_getframe(1)), _NOTHING)

        return start, resume, resume, end, suspend, unwind

    def _c_callbacks(self):
        live, ident, fresh, names = self.live, _ident, self.buffer, self.c_names
        note = self._io

        def call(code, offset, function, first):
            if type(function) not in _C_TYPES:
                return
            if ident() not in live:
                fresh(_getframe(1))
            codes, times = live[ident()]
            key = getattr(function, "__module__", None) or "builtins", function.__qualname__
            codes.append(names.setdefault(key, key))
            times.append(_now())

        def leave(code, offset, function, first):
            if type(function) not in _C_TYPES or ident() not in live:
                return
            if type(first).__module__ == "_io" and function.__name__ in _IO_NAMES:
                note(self.by_ident[ident()], function.__name__, first)
            times = live[ident()][1]
            times.append(-_now())
            if len(times) >= CHUNK:
                self._written()

        return call, leave

    def _io_callbacks(self):
        """Callbacks for methods of files alone: where something else is called, they are not called again."""
        names, disable, transfers, io_ends = _IO_NAMES, _monitoring.DISABLE, {}, self._io_ends
        named = (*_C_TYPES, type(_matches), type(self.text))

        def call(code, offset, function, first):
            kind = type(function)
            if kind not in named or function.__name__ not in names:
                return disable
            file = getattr(function, "__self__", first) if kind in _C_TYPES else None
            if type(file) in _FILES:
                transfers.setdefault(_ident(), []).append((file, _now()))

        def leave(code, offset, function, first):
            own = transfers.get(_ident())
            if own and type(function) in _C_TYPES and own[-1][0] is getattr(function, "__self__", first):
                io_ends(own, function.__name__)

        return call, leave

    # Python 3.11 and earlier

    def _profile(self, buffer):
        options = self.options
        more = options.limit or options.exclude or options.cpu_time or options.arguments or options.c_functions
        if not (more or self.controlled):
            return self._plain_profile(buffer)
        counts, open_frames, names = self.counts, self.open_frames, self.c_names
        c_functions, files, transfers = options.c_functions, _FILES if options.objects else (), []

        def profile(frame, event, arg):
            if not self.active:
                return
            if buffer.epoch != self.epoch:
                self._running(buffer, frame.f_back if event == "call" else frame)
            if event == "call":
                code = frame.f_code
                key = id(code)
                left = counts.get(key)
                if left is None:
                    left = self._first_seen(code)
                if left <= 0:
                    self._cut(code, frame)
                    return
                counts[key] = left - 1
                resumed = code.co_flags & _GENERATOR and frame.f_lasti != self._first_offset(code)
                self._begin(buffer, code, frame, resumed)
            elif event == "return":
                code = frame.f_code
                if open_frames:
                    frames = open_frames.get(id(code))
                    if frames is not None:
                        if id(frame) not in frames:
                            return
                        frames.discard(id(frame))
                self._finish(buffer, _NOTHING if code.co_flags & _GENERATOR else arg)
            elif c_functions:
                if event == "c_call":
                    key = getattr(arg, "__module__", None) or "builtins", arg.__qualname__
                    buffer.codes.append(names.setdefault(key, key))
                    buffer.times.append(_now())
                else:
                    receiver = getattr(arg, "__self__", None)
                    if type(receiver).__module__ == "_io" and arg.__name__ in _IO_NAMES:
                        self._io(buffer, arg.__name__, receiver)
                    buffer.times.append(-_now())
            elif transfers:
                if arg.__self__ is transfers[0][0] and event != "c_call":
                    self._io_ends(transfers, arg.__name__)
            elif event == "c_call" and type(arg.__self__) in files and arg.__name__ in _IO_NAMES:
                transfers.append((arg.__self__, _now()))

        return profile

    def _plain_profile(self, buffer):
        codes, times, now, flush = buffer.codes, buffer.times, _now, self.flush
        first_offset, task = self._first_offset, self._task
        files, transfers, io_ends = _FILES if self.options.objects else (), [], self._io_ends

        def profile(frame, event, arg):
            if event == "call":
                code = frame.f_code
                codes.append(code)
                times.append(now())
                if code.co_flags & _GENERATOR:
                    codes.append(_RESUMED if frame.f_lasti != first_offset(code) else _FRAME)
                    times.append(id(frame))
                    if code.co_flags & _COROUTINE:
                        task(codes, times, frame.f_back)
            elif event == "return":
                times.append(-now())
                if len(times) >= CHUNK:
                    flush(buffer)
            elif transfers:
                if arg.__self__ is transfers[0][0] and event != "c_call":
                    io_ends(transfers, arg.__name__)
            elif event == "c_call" and type(arg.__self__) in files and arg.__name__ in _IO_NAMES:
                transfers.append((arg.__self__, now()))

        return profile

    def _first_offset(self, code):
        """`f_lasti` of a generator that has not begun."""
        if sys.version_info < (3, 11):
            return -1
        known = self.first_offsets.get(id(code))
        if known is None:
            raw = code.co_code
            known = next((at for at in range(0, len(raw), 2) if raw[at] == 151 and raw[at + 1] == 0), -1)
            self.first_offsets[id(code)] = known
            self.held.append(code)
        return known

    # What both do, where more is recorded than calls

    def _first_seen(self, code):
        """How many calls of it are recorded."""
        self.seen_codes[id(code)] = code
        left = self.options.limit or 2**62
        file = code.co_filename
        if file in (__file__, _HOOK):
            left = 2**62
        elif self._excluded(code):
            left = 0
            self.open_frames.setdefault(id(code), set())
        self.counts[id(code)] = left
        return left

    def _excluded(self, code):
        module, name, file = self._module(code.co_filename), self._qualified(code), code.co_filename
        return any(_matches(pattern, module, name, file) for pattern in self.options.exclude)

    def _cut(self, code, frame):
        """A call is not recorded. When the first one is cut, note which calls of the function are open."""
        self.cut += 1
        if id(code) not in self.open_frames:
            frames = set()
            for other in sys._current_frames().values():
                while other is not None:
                    if other.f_code is code and other is not frame:
                        frames.add(id(other))
                    other = other.f_back
            self.open_frames[id(code)] = frames
            if self.options.limit:
                self._line(
                    "cut", self._qualified(code), self._module(code.co_filename), code.co_filename, code.co_firstlineno
                )

    def _begin(self, buffer, code, frame, resumed):
        codes, times = buffer.codes, buffer.times
        codes.append(code)
        times.append(_now())
        options = self.options
        if options.cpu_time:
            buffer.depth += 1
            if not options.cpu_depth or buffer.depth <= options.cpu_depth:
                codes.append(_CPU)
                times.append(_cpu())
        if code.co_flags & _GENERATOR:
            codes.append(_RESUMED if resumed else _FRAME)
            times.append(id(frame))
        if options.arguments and not resumed:
            flags = code.co_flags
            count = code.co_argcount + code.co_kwonlyargcount + bool(flags & 4) + bool(flags & 8)
            for name in code.co_varnames[:count]:
                if name in frame.f_locals:
                    codes += (_ARGUMENT, _VALUE)
                    times.append(self.text(name))
                    times.append(self.text(_shown(frame.f_locals[name], options.arguments)))
        if code.co_flags & _COROUTINE:
            self._task(codes, times, frame.f_back)

    def _finish(self, buffer, value):
        codes, times = buffer.codes, buffer.times
        options = self.options
        if options.arguments and value is not _NOTHING:
            codes.append(_RETURNED)
            times.append(self.text(_shown(value, options.arguments)))
        if options.cpu_time:
            if not options.cpu_depth or buffer.depth <= options.cpu_depth:
                codes.append(_CPU)
                times.append(_cpu())
            buffer.depth -= 1
        times.append(-_now())
        if len(times) >= CHUNK:
            self._written()

    def _task(self, codes, times, caller):
        """Behind the begin of a coroutine: which task it is a step of. Only what the event loop calls is one."""
        asyncio = sys.modules.get("asyncio.tasks")
        if asyncio is None or (caller is not None and caller.f_code.co_flags & _COROUTINE):
            return
        try:
            task = asyncio.current_task()
            if task is None:
                return
            known = self.tasks.get(id(task))
            if known is None or known[0]() is not task:
                if len(self.tasks) > MOST_TEXTS:
                    self.tasks = {}
                known = self.tasks[id(task)] = weakref.ref(task), self.object("task", id(task), _task_name(task))
        except (RuntimeError, AttributeError, TypeError):  # no loop runs, or the module is half imported
            return
        codes.append(_TASK)
        times.append(known[1])

    def _io(self, buffer, name, file):
        """The call of a method of a file that ends now."""
        begin = buffer.times[-1] if buffer.times and buffer.times[-1] > 0 else _now()
        self._note_io(buffer, self._file(file), name, begin)

    def _note_io(self, buffer, number, name, begin):
        write, end = "write" in name or name in ("flush", "truncate"), _now()
        buffer.codes += (_OBJECT, _WRITE_BEGIN if write else _READ_BEGIN, _IO_END)
        buffer.times.extend((number, begin, end))

    def _file(self, file):
        """The number of a file as an object."""
        key = id(file)
        known = self.files.get(key)
        if known is None or known[0] != str(getattr(file, "name", "")):
            if len(self.files) > MOST_TEXTS:
                self.files = {}
            place = str(getattr(file, "name", ""))
            known = self.files[key] = place, self.object("file", key, place)
        return known[1]

    def _io_ends(self, transfers, name):
        """A method of a file ends, which took long enough to be more than a copy from or to its buffer."""
        file, begin = transfers.pop()
        if _now() - begin >= LEAST_IO:
            buffer = self.current()
            if buffer is not None and not buffer.busy:
                self._note_io(buffer, self._file(file), name, begin)

    def channel(self, kind, descriptor):
        """The number of a file or socket that is known by its descriptor."""
        key = kind, descriptor
        known = self.files.get(key)
        if known is None:
            known = self.files[key] = "", self.object(kind, descriptor, "descriptor %d" % descriptor)
        return known[1]

    def note_transfer(self, kind, descriptor, tag, begin):
        """Note that this thread has read from a file or socket, or written to it, since `begin`."""
        self.note_object(self.channel(kind, descriptor), (tag, _IO_END), (begin, _now()))

    # The end

    def finish(self, why):
        """Write all there is. Nothing is recorded after it."""
        if self.finished:
            return
        self.finished = True
        if self.options.sample:
            self.sampler.stop()
        if self.tool is not None:
            _monitoring.set_events(self.tool, 0)
        elif _monitoring is None:
            sys.setprofile(None)
        was_active, self.active = self.active, False
        for buffer in list(self.buffers):
            if buffer.epoch == self.epoch and was_active:
                self._note_under_way(buffer)
            self._name_thread(buffer, _now())
        self.flush_all()
        self._line("end", _now(), why, self.cut, self.lost)


def _codes_of(codes):
    """The code objects of functions and of those inside them."""
    inner = [each for code in codes for each in code.co_consts if isinstance(each, type(code))]
    return set(codes) | (_codes_of(inner) if inner else set())


_RECORDING = _codes_of([value.__code__ for value in vars(_Recorder).values() if hasattr(value, "__code__")])


def _records(frame):
    """Whether a thread is in the middle of an event: what it did before may have no time yet."""
    while frame is not None:
        if frame.f_code in _RECORDING:
            return True
        frame = frame.f_back
    return False


_NOTHING = object()
_C_TYPES = (type(len), type(str.join), type([].__len__), type(object.__init__), type(dict.__dict__["fromkeys"]))
_IO_NAMES = {
    "read",
    "read1",
    "readline",
    "readlines",
    "readinto",
    "readinto1",
    "readall",
    "write",
    "writelines",
    "flush",
    "truncate",
}
_FILES = {io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair, io.TextIOWrapper}
_MAIN = _ident()
_HOOK = os.path.join(os.path.dirname(__file__), "sitecustomize.py")
_recorder = None


def _matches(pattern, module, name, file):
    """Whether `module:name`, or the file where the pattern has no colon, is like the pattern, with `*` and `?`."""
    if ":" in pattern:
        return _like(pattern, module + ":" + name)
    return _like(pattern, file.replace("\\", "/"))


def _like(pattern, text):
    """Linear in each star: no pattern takes long."""
    at = place = 0
    star, back = -1, 0
    while place < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, back, at = at, place, at + 1
        elif at < len(pattern) and pattern[at] in ("?", text[place]):
            at, place = at + 1, place + 1
        elif star >= 0:
            back += 1
            at, place = star + 1, back
        else:
            return False
    return pattern[at:].strip("*") == ""


def _shown(value, most):
    """A value as text, without running code of the program: of others than plain ones, the type."""
    if value is None or type(value) in (bool, int, float, complex):
        text = repr(value) if type(value) is not int or value.bit_length() < 8 * most else "a long number"
    elif type(value) in (str, bytes):
        text = repr(value[:most])
    elif type(value) in (list, tuple, dict, set, frozenset):
        text = "%s of %d" % (type(value).__name__, len(value))
    else:
        text = type(value).__qualname__
    return text[:most]


def _task_name(task):
    return task.get_name() if hasattr(task, "get_name") else ""


class _Sampler:
    """Takes the stacks of all threads, every so often, in a thread of its own, and writes how they differ."""

    def __init__(self, recorder):
        self.recorder, self.running, self.stacks = recorder, None, {}

    def start(self):
        """Begin to take samples."""
        if self.running is None:
            self.running, self.done = _allocate_lock(), _allocate_lock()
            self.running.acquire()
            self.done.acquire()
            _start_thread(self._run, (self.running, self.done, self.recorder.options.sample))

    def stop(self):
        """Take no more samples, and wait until the last one is taken."""
        running, self.running = self.running, None
        if running is not None:
            running.release()
            self.done.acquire(True, 2.0)
            self._close(list(self.stacks))

    def _run(self, running, done, seconds):
        own = _ident()
        while not running.acquire(True, seconds):
            try:
                self._take(own)
            except Exception:  # a thread went while its frames were read
                self.recorder.lost += 1
        done.release()

    def _take(self, own):
        recorder = self.recorder
        frames = sys._current_frames()
        now = _now()
        for ident, frame in frames.items():
            if ident == own:
                continue
            stack = []
            while frame is not None:
                if frame.f_code.co_filename not in (__file__, _HOOK):
                    stack.append(frame.f_code)
                frame = frame.f_back
            stack.reverse()
            known = self.stacks.get(ident)
            if known is None:
                recorder.threads += 1
                buffer = _Buffer(recorder.threads, recorder.epoch)
                buffer.ident = ident
                buffer.native = getattr(threading._active.get(ident), "native_id", None) or ident
                known = self.stacks[ident] = [buffer, []]
                recorder.buffers.append(buffer)
                recorder._name_thread(buffer, now)
            buffer, before = known
            same = 0
            while same < len(stack) and same < len(before) and stack[same] is before[same]:
                same += 1
            buffer.times.extend([-now] * (len(before) - same) + [now] * (len(stack) - same))
            buffer.codes += stack[same:]
            known[1] = stack
            if len(buffer.times) >= CHUNK:
                recorder.flush(buffer)
        del frames
        self._close([ident for ident in self.stacks if ident not in sys._current_frames()])

    def _close(self, idents):
        now = _now()
        for ident in idents:
            buffer, stack = self.stacks.pop(ident)
            buffer.times.extend([-now] * len(stack))
            self.recorder.flush(buffer)
            if buffer in self.recorder.buffers:
                self.recorder.buffers.remove(buffer)


class _Timer:
    """Starts recording after the delay and stops it after the duration, in a thread that ends before a fork."""

    def __init__(self, recorder):
        options = recorder.options
        now = _now()
        self.recorder, self.running = recorder, None
        self.plan = [(now + options.delay * 1e9, recorder.start)] if options.delay else []
        if options.duration:
            self.plan.append((now + (options.delay + options.duration) * 1e9, recorder.stop))

    def start(self):
        if self.plan and self.running is None:
            self.running, self.done = _allocate_lock(), _allocate_lock()
            self.running.acquire()
            self.done.acquire()
            _start_thread(self._run, (self.running, self.done))

    def stop(self):
        running, self.running = self.running, None
        if running is not None:
            running.release()
            self.done.acquire(True, 2.0)

    def _run(self, running, done):
        self.recorder.live[_ident()] = [], []  # what this thread does is not recorded
        while self.plan and not running.acquire(True, max(0.0, (self.plan[0][0] - _now()) / 1e9)):
            self.plan.pop(0)[1]()
            self.recorder.live[_ident()] = [], []
        self.recorder.live.pop(_ident(), None)
        done.release()


# What the recorder puts in place of things of the standard library.


def _run_thread(number, function, args, kwargs):
    owner = getattr(function, "__self__", None)
    buffer = _recorder.thread_begins(number)
    try:
        return function(*args, **kwargs)
    finally:
        _recorder.thread_ends(buffer, owner if isinstance(owner, threading.Thread) else None)


def _wrap_threads():
    def start_new_thread(function, args, kwargs={}):  # noqa: B006 -- as the original has it
        if not callable(function) or not isinstance(args, tuple) or not isinstance(kwargs, dict):
            return _start_thread(function, args, kwargs)  # raises what it always raised
        return _start_thread(_run_thread, (_recorder.thread_created(), function, args, kwargs))

    _thread.start_new_thread = _thread.start_new = start_new_thread
    if hasattr(threading, "_start_new_thread"):
        threading._start_new_thread = start_new_thread
    joinable = getattr(_thread, "start_joinable_thread", None)
    if joinable is not None:

        def start_joinable_thread(function, handle=None, daemon=True):
            number = _recorder.thread_created()
            return joinable(lambda: _run_thread(number, function, (), {}), handle=handle, daemon=daemon)

        _thread.start_joinable_thread = start_joinable_thread
        threading._start_joinable_thread = start_joinable_thread


def _wrap_processes():
    try:
        import _posixsubprocess as posix
    except ImportError:
        posix = None

    def noting(original):
        def start_process(*args, **kwargs):
            pid = original(*args, **kwargs)
            if pid:
                _recorder.note(_PROCESS_CREATED, pid)
            return pid

        return start_process

    if posix is not None:
        posix.fork_exec = noting(posix.fork_exec)
    for name in ("posix_spawn", "posix_spawnp"):
        if hasattr(os, name):
            setattr(os, name, noting(getattr(os, name)))

    def flushing(original):
        def execute(*args, **kwargs):
            _recorder.flush_all()
            return original(*args, **kwargs)

        return execute

    for name in ("execv", "execve"):
        if hasattr(os, name):
            setattr(os, name, flushing(getattr(os, name)))

    def exit_at_once(status):
        _recorder.finish("os._exit")
        _exit(status)

    os._exit = exit_at_once


# Objects that threads wait for. Each has a number in the recording, a kind, and the line that made it as its name.

_made = {}  # how many objects each line has made
_LIBRARY = set()  # files that make objects for others: the line that made one lies outside of them


def _place():
    """The line outside of the library that makes an object, with a number where it has made others before."""
    frame = _getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename in _LIBRARY:
        frame = frame.f_back
    folder, name = os.path.split(frame.f_code.co_filename)
    if name == "__init__.py":
        name = os.path.join(os.path.basename(folder), name)
    line = "%s:%d" % (name, frame.f_lineno)
    _made[line] = count = _made.get(line, 0) + 1
    return line if count == 1 else "%s #%d" % (line, count)


def _number_of(thing, kind):
    """The number of an object as one of that kind, -1 = it cannot have one. It is kept in the object."""
    try:
        own = thing.__dict__
        known = own.get("_cbvtool")
        if known is None or known[0] != _recorder.stem:
            known = own["_cbvtool"] = _recorder.stem, {}
        number = known[1].get(kind)
        if number is None:
            name = own.get("_cbvtool_name", "") if kind != "thread" else thing.name
            number = known[1][kind] = _recorder.object(kind, id(thing), name)
        return number
    except Exception:  # a class of the program forbids it
        return -1


def _named(owner):
    """Objects of that class keep the line that made them."""
    original = owner.__init__

    def __init__(self, *args, **kwargs):
        original(self, *args, **kwargs)
        try:
            self.__dict__["_cbvtool_name"] = _place()
        except Exception:  # a class of the program forbids it
            return

    owner.__init__ = _like_original(__init__, original)


class _Waits:
    """A lock that records who waits for it and who releases it."""

    kind = "lock"
    make = staticmethod(_allocate_lock)

    def __init__(self):
        self._lock = self.make()
        self._name = _place()
        self._number, self._of = 0, ""

    def _known(self):
        if self._of != _recorder.stem:
            self._of, self._number = _recorder.stem, _recorder.object(self.kind, id(self), self._name)
        return self._number

    def acquire(self, blocking=True, timeout=-1):
        buffer = _recorder.current()
        if buffer is None or buffer.busy or not blocking:
            return self._lock.acquire(blocking, timeout)
        begin, number = _now(), self._known()
        buffer.waits.append((number, begin, ()))
        try:
            return self._lock.acquire(True, timeout)
        finally:
            buffer.waits.pop()
            _recorder.note_wait(number, begin)

    def release(self):
        buffer = _recorder.current()
        if buffer is not None and not buffer.busy:
            _recorder.note_object(self._known(), (_RELEASE,), (_now(),))
        self._lock.release()

    __enter__ = acquire

    def __exit__(self, kind, error, trace):
        self.release()

    def __getattr__(self, name):
        return getattr(self._lock, name)

    def __repr__(self):
        return repr(self._lock)


class _WaitsAgain(_Waits):
    """The same for a lock that its owner may acquire again, which is no wait, and release as often, which is no release
    but the last time.
    """

    kind = "reentrant lock"
    make = staticmethod(_RLock)

    def acquire(self, blocking=True, timeout=-1):
        if self._lock._is_owned():
            return self._lock.acquire(blocking, timeout)
        return _Waits.acquire(self, blocking, timeout)

    def release(self):
        time = _now()
        self._lock.release()
        buffer = _recorder.current()
        if buffer is not None and not buffer.busy and not self._lock._is_owned():
            _recorder.note_object(self._known(), (_RELEASE,), (time,))

    __enter__ = acquire


def _wrap_objects():
    _LIBRARY.update((__file__, threading.__file__))
    threading.Lock, threading.RLock = _Waits, _WaitsAgain
    condition, semaphore, thread = threading.Condition, threading.Semaphore, threading.Thread
    for owner in (condition, threading.Event, semaphore, threading.Barrier):
        _named(owner)
    condition.wait = _watched(condition.wait, "condition", also=lambda self: getattr(self, "_lock", None))
    condition.notify = _notifying(condition.notify)
    condition.notify_all = _watched(condition.notify_all, releases="condition")
    threading.Event.wait = _watched(threading.Event.wait, "event")
    threading.Event.set = _watched(threading.Event.set, releases="event")
    semaphore.acquire = semaphore.__enter__ = _watched(semaphore.acquire, "semaphore")
    semaphore.release = _watched(semaphore.release, releases="semaphore")
    bounded = threading.BoundedSemaphore
    bounded.__enter__ = semaphore.acquire
    bounded.release = _watched(bounded.release, releases="semaphore")
    threading.Barrier.wait = _meeting(threading.Barrier.wait)
    _starting(thread)
    thread.join = _watched(thread.join, "thread")
    time.sleep = _sleeping(time.sleep)


def _wrap_queue(queue):
    """The parts of a queue have an object each: what is in it, the room that is left, and the tasks to be done."""
    _LIBRARY.add(queue.__file__)
    owner = queue.Queue
    _named(owner)
    owner.get = _watched(owner.get, "queue", _room)
    owner.put = _watched(owner.put, _room, "queue", place=1)
    owner.join = _watched(owner.join, "queue tasks")
    owner.task_done = _watched(owner.task_done, releases="queue tasks")
    try:
        queue.SimpleQueue = _simple_queue(queue.SimpleQueue)
    except (AttributeError, TypeError):  # a Python that has none, or one that cannot be derived from
        pass


def _room(queue):
    """The kind of the object that stands for the room in a queue; "" = it never lacks room."""
    return "queue room" if queue.maxsize > 0 else ""


def _wrap_futures(futures):
    """`concurrent.futures._base`. What is called when a future is done belongs to the program: it is recorded."""
    folder = os.path.dirname(futures.__file__)
    _LIBRARY.update(os.path.join(folder, name) for name in ("_base.py", "thread.py", "process.py"))
    owner = futures.Future
    _named(owner)
    for name in ("result", "exception"):
        setattr(owner, name, _watched(getattr(owner, name), "future"))
    for name in ("set_result", "set_exception", "cancel"):
        setattr(owner, name, _watched(getattr(owner, name), releases="future", busy=False))


def _wrap_selectors(selectors):
    """A loop of events waits for its selector; nothing but `call_soon_threadsafe` of another thread releases it."""
    _LIBRARY.add(selectors.__file__)
    _named(selectors._BaseSelectorImpl)
    for name in ("SelectSelector", "PollSelector", "EpollSelector", "DevpollSelector", "KqueueSelector"):
        owner = getattr(selectors, name, None)
        if owner is not None and "select" in owner.__dict__:
            owner.select = _watched(owner.select, "selector")


def _wrap_loop(events):
    """`asyncio.selector_events`."""
    folder = os.path.dirname(events.__file__)
    names = ("base_events.py", "selector_events.py", "unix_events.py", "events.py", "runners.py")
    _LIBRARY.update(os.path.join(folder, name) for name in names)
    owner = events.BaseSelectorEventLoop
    original = owner._write_to_self

    def _write_to_self(self):
        _note_release(self._selector, "selector")
        return original(self)

    owner._write_to_self = _write_to_self


def _wrap_socket(module):
    """Methods of C that read and write, as methods of the class in Python."""
    owner = module.socket
    for name in ("recv", "recv_into", "recvfrom", "recvfrom_into", "recvmsg", "recvmsg_into"):
        _transfer(owner, name, _READ_BEGIN)
    for name in ("send", "sendall", "sendto", "sendmsg"):
        _transfer(owner, name, _WRITE_BEGIN)
    owner.accept = _accepting(owner.accept)


def _watched(original, waits="", releases="", also=None, busy=True, place=0):
    """A method that waits for its object, releases it, or both.

    waits, releases  the kind of the object, "" = it does not, or a function of the object that tells it
    also             function of the object: the lock that it releases while it waits
    busy             what it does within itself is not recorded besides
    place            of the argument that says whether, or how long, it waits

    A release is when a condition is notified, which is when a thread that waits can go on.
    """

    def method(self, *args, **kwargs):
        buffer = _recorder.current()
        if buffer is None or buffer.busy:
            return original(self, *args, **kwargs)
        begin, number, locks = _now(), -1, ()
        kind = waits(self) if callable(waits) else waits
        if kind and not _is_try(args[place:], kwargs):
            number = _number_of(self, kind)
        if also is not None and isinstance(also(self), _Waits):
            locks = (also(self)._known(),)
        if number >= 0:
            buffer.waits.append((number, begin, locks))
        before, buffer.notified = buffer.notified, 0
        buffer.busy += busy
        try:
            return original(self, *args, **kwargs)
        finally:
            buffer.busy -= busy
            notified, buffer.notified = buffer.notified, before or buffer.notified
            if number >= 0:
                buffer.waits.pop()
                _recorder.note_wait(number, begin, locks)
            kind = releases(self) if callable(releases) else releases
            if kind and notified:
                _note_release(self, kind, notified)

    return _like_original(method, original)


def _is_try(args, kwargs):
    """Whether a method does not wait: a false `block`, `blocking` or `timeout`."""
    given = args[:1] + tuple(kwargs[name] for name in ("block", "blocking", "timeout") if name in kwargs)
    return any(type(value) in (bool, int, float) and not value for value in given)


def _note_release(thing, kind, when=0):
    """Note that an object is released, now or then."""
    buffer = _recorder.current()
    if buffer is not None and not buffer.busy:
        number = _number_of(thing, kind)
        if number >= 0:
            _recorder.note_object(number, (_RELEASE,), (when or _now(),))


def _notifying(original):
    """`Condition.notify`, within other objects, too: it tells when they were released."""

    def notify(self, *args, **kwargs):
        buffer, moment = _recorder.current(), _now()
        if buffer is not None and not buffer.notified:
            buffer.notified = moment
        try:
            return original(self, *args, **kwargs)
        finally:
            _note_release(self, "condition", moment)

    return _like_original(notify, original)


def _meeting(original):
    """`Barrier.wait`: the last thread that comes releases the others, and waits for nobody."""

    def wait(self, *args, **kwargs):
        buffer = _recorder.current()
        if buffer is None or buffer.busy:
            return original(self, *args, **kwargs)
        begin, number, index = _now(), _number_of(self, "barrier"), -1
        buffer.waits.append((number, begin, ()))
        before, buffer.notified = buffer.notified, 0
        buffer.busy += 1
        try:
            index = original(self, *args, **kwargs)
            return index
        finally:
            buffer.busy -= 1
            notified, buffer.notified = buffer.notified, before or buffer.notified
            buffer.waits.pop()
            if number >= 0 and index == getattr(self, "_parties", 0) - 1:
                _recorder.note_object(number, (_RELEASE,), (notified or begin,))
            else:
                _recorder.note_wait(number, begin)

    return _like_original(wait, original)


def _starting(thread):
    """A thread that is started is waited for: the event for it is named after it."""
    original = thread.__init__

    def __init__(self, *args, **kwargs):
        original(self, *args, **kwargs)
        started = getattr(self, "_started", None)
        if started is not None:
            started.__dict__["_cbvtool_name"] = "start of " + self._name

    thread.__init__ = _like_original(__init__, original)


def _sleeping(original):
    """`time.sleep`: a wait that nobody ends."""

    class Clock:
        pass

    clock = Clock()
    clock._cbvtool_name = "sleep"

    def sleep(*args):
        buffer = _recorder.current()
        if buffer is None or buffer.busy:
            return original(*args)
        begin, number = _now(), _number_of(clock, "timer")
        buffer.waits.append((number, begin, ()))
        try:
            return original(*args)
        finally:
            buffer.waits.pop()
            _recorder.note_wait(number, begin)

    return _like_original(sleep, original)


def _simple_queue(plain):
    """A queue of C whose waits and releases are recorded: the one that executors have."""

    class SimpleQueue(plain):
        def get(self, block=True, timeout=None):
            buffer = _recorder.current()
            if buffer is None or buffer.busy or not block:
                return plain.get(self, block, timeout)
            begin, number = _now(), _number_of(self, "queue")
            buffer.waits.append((number, begin, ()))
            try:
                return plain.get(self, block, timeout)
            finally:
                buffer.waits.pop()
                _recorder.note_wait(number, begin)

        def put(self, item, block=True, timeout=None):
            _note_release(self, "queue")
            return plain.put(self, item, block, timeout)

    _named(SimpleQueue)
    SimpleQueue.__module__, SimpleQueue.__qualname__, SimpleQueue.__doc__ = "queue", "SimpleQueue", plain.__doc__
    return SimpleQueue


def _transfer(owner, name, tag):
    original = getattr(owner, name, None)
    if original is None:
        return

    def method(self, *args, **kwargs):
        begin = _now()
        try:
            return original(self, *args, **kwargs)
        finally:
            buffer = _recorder.current()
            if buffer is not None and not buffer.busy:
                _recorder.note_transfer("socket", self.fileno(), tag, begin)

    setattr(owner, name, _like_original(method, original))


def _accepting(original):
    def accept(self):
        buffer = _recorder.current()
        if buffer is None or buffer.busy:
            return original(self)
        begin, number = _now(), _recorder.channel("socket", self.fileno())
        buffer.waits.append((number, begin, ()))
        try:
            return original(self)
        finally:
            buffer.waits.pop()
            _recorder.note_wait(number, begin)

    return _like_original(accept, original)


def _wrap_files():
    """Functions that read and write by the number of a file."""
    for name, tag in (
        ("read", _READ_BEGIN),
        ("readv", _READ_BEGIN),
        ("pread", _READ_BEGIN),
        ("write", _WRITE_BEGIN),
        ("writev", _WRITE_BEGIN),
        ("pwrite", _WRITE_BEGIN),
        ("fsync", _WRITE_BEGIN),
    ):
        if hasattr(os, name):
            setattr(os, name, _by_number(getattr(os, name), tag))


def _by_number(original, tag):
    def function(*args, **kwargs):
        begin = _now()
        try:
            return original(*args, **kwargs)
        finally:
            buffer = _recorder.current()
            if buffer is not None and not buffer.busy and args and type(args[0]) is int:
                _recorder.note_transfer("file", args[0], tag, begin)

    return _like_original(function, original)


def _like_original(function, original):
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(function, name, getattr(original, name, None))
    function.__wrapped__ = original
    return function


def _on_end_signal(number, frame):
    """Write what there is, then end as the signal would have ended the program."""
    import _signal

    _recorder.finish("signal %d" % number)
    _signal.signal(number, _signal.SIG_DFL)
    _kill(_getpid(), number)


def _on_switch_signal(number, frame):
    if _recorder.active:
        _recorder.stop()
    else:
        _recorder.start()


def _watch_signals(options):
    try:
        import _signal

        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(_signal, name, None)
            if number is not None and _signal.getsignal(number) == _signal.SIG_DFL:
                _signal.signal(number, _on_end_signal)
        if options.signal:
            _signal.signal(options.signal, _on_switch_signal)
    except (ImportError, ValueError, OSError):  # not in the main thread, or not on this system
        pass


def _watch_forks(timer):
    if not hasattr(os, "register_at_fork"):
        return
    state = {}

    def before():
        recorder = _recorder
        timer.stop()
        state["sampling"] = recorder.sampler.running is not None
        recorder.sampler.stop()
        recorder.forks += 1
        recorder.note(_FORKED, recorder.forks)
        buffer = recorder.current()
        if buffer is not None:  # else the child might find it full, and write it once more
            recorder.flush(buffer)
        recorder.lock.acquire()

    def in_parent():
        _recorder.lock.release()
        if state["sampling"]:
            _recorder.sampler.start()
        timer.start()

    def in_child():
        recorder = _recorder
        if recorder.finished:
            return
        recorder.lock = _RLock()
        recorder.parent = os.path.basename(recorder.stem), recorder.forks
        recorder.threads = recorder.forks = 0
        recorder._new_process()
        was, recorder.active = recorder.active, False
        recorder.sampler = _Sampler(recorder)
        if was:
            recorder.start()
        if _monitoring is None and not recorder.options.sample and (was or recorder.controlled):
            sys.setprofile(recorder._profile(recorder.buffer(_getframe(0))))
        timer.start()

    os.register_at_fork(before=before, after_in_parent=in_parent, after_in_child=in_child)


def _cost():
    """ns that a call of an empty function takes, and that a round of a loop takes with it."""

    def empty():
        pass

    def run():
        begin = _now()
        for _ in range(500):
            empty()
        return (_now() - begin) // 500

    return min(run() for _ in range(3))


_AT_IMPORT = {
    "queue": _wrap_queue,
    "concurrent.futures._base": _wrap_futures,
    "selectors": _wrap_selectors,
    "asyncio.selector_events": _wrap_loop,
    "socket": _wrap_socket,
}


class _AtImport:
    """Wraps modules when they are imported, by standing among the finders of imports."""

    def __init__(self):
        self.left = {name: wrap for name, wrap in _AT_IMPORT.items() if name not in sys.modules}

    def find_spec(self, name, path=None, target=None):
        wrap = self.left.pop(name, None)
        if wrap is None:
            return None
        if not self.left:
            sys.meta_path.remove(self)
        for finder in list(sys.meta_path):
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                spec.loader.exec_module = _wrapping(spec.loader.exec_module, wrap)
                return spec
        return None


def _wrapping(execute, wrap):
    def exec_module(module):
        execute(module)
        try:
            wrap(module)
        except AttributeError:  # a module of the program has that name
            pass

    return exec_module


def begin(folder):
    """Record this process into that folder. Called once, when the interpreter has started."""
    global _recorder
    if _recorder is not None:
        return
    with open(os.path.join(folder, "options"), encoding="utf-8") as file:
        options = _Options(file.read().splitlines())
    _recorder = recorder = _Recorder(folder, options)
    atexit.register(recorder.finish, "exit")
    _wrap_threads()
    _wrap_processes()
    if options.objects and not options.sample:
        _wrap_objects()
        _wrap_files()
        sys.meta_path.insert(0, _AtImport())
        for name, wrap in _AT_IMPORT.items():
            if name in sys.modules:
                wrap(sys.modules[name])
    _watch_signals(options)
    timer = _Timer(recorder)
    _watch_forks(timer)
    plain = _cost()
    recorder.watch()
    if not (options.delay or options.paused):
        recorder.start()
        recorder._line("cost", max(0, _cost() - plain))
    recorder.in_hook = False
    timer.start()


def start():
    """Record from now on: for programs that were started with `--paused`, or that called `stop`."""
    if _recorder is not None:
        _recorder.start()


def stop():
    """Record no more until `start`."""
    if _recorder is not None:
        _recorder.stop()
