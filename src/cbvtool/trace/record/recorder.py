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
_GENERATOR = (
    0x20 | 0x80 | 0x100 | 0x200
)  # flags of code: generator, coroutine, iterable coroutine, asynchronous generator
_COROUTINE = 0x80

_now = time.perf_counter_ns
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
        "number",
        "segment",
        "segment_begin",
        "times",
    )

    def __init__(self, number, epoch):
        self.number, self.epoch = number, epoch
        self.codes, self.times = [], []
        self.native = _thread.get_native_id() if hasattr(_thread, "get_native_id") else _ident()
        self.segment, self.segment_begin = 0, _now()
        self.depth = self.busy = 0
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
            if self.options.c_functions:
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
            time.sleep(0.0005)
        if self.epoch != epoch:  # recording has been started again
            return
        now = _now()
        for buffer in list(self.buffers):
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
            (events.PY_START, start), (events.PY_RESUME, resume), (events.PY_THROW, throw),
            (events.PY_RETURN, end), (events.PY_YIELD, suspend), (events.PY_UNWIND, unwind),
        ):  # fmt: skip
            register(self.tool, event, callback)
        if options.c_functions:
            call, leave = self._c_callbacks()
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
        io = self._io

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
                io(self.by_ident[ident()], function.__name__, first)
            times = live[ident()][1]
            times.append(-_now())
            if len(times) >= CHUNK:
                self._written()

        return call, leave

    # Python 3.11 and earlier

    def _profile(self, buffer):
        options = self.options
        more = options.limit or options.exclude or options.cpu_time or options.arguments or options.c_functions
        if not (more or self.controlled):
            return self._plain_profile(buffer)
        counts, open_frames, names = self.counts, self.open_frames, self.c_names
        c_functions = options.c_functions

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

        return profile

    def _plain_profile(self, buffer):
        codes, times, now, flush = buffer.codes, buffer.times, _now, self.flush
        first_offset, task = self._first_offset, self._task

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
        key = id(file)
        known = self.files.get(key)
        if known is None or known[0] != str(getattr(file, "name", "")):
            if len(self.files) > MOST_TEXTS:
                self.files = {}
            place = str(getattr(file, "name", ""))
            known = self.files[key] = place, self.object("file", key, place)
        begin = buffer.times[-1] if buffer.times and buffer.times[-1] > 0 else _now()
        buffer.codes += (
            _OBJECT,
            _WRITE_BEGIN if "write" in name or name in ("flush", "truncate") else _READ_BEGIN,
            _IO_END,
        )
        buffer.times.extend((known[1], begin, _now()))

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
        self.active = False
        for buffer in list(self.buffers):
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


def _note_of(thing, kind, tags, times):
    """Note what happened to an object. Its number is kept in the object, with the process."""
    try:
        known = thing.__dict__.get("_cbvtool")
        if known is None or known[0] != _recorder.stem:
            known = _recorder.stem, _recorder.object(kind, id(thing))
            thing.__dict__["_cbvtool"] = known
    except Exception:  # a class of the program forbids it
        return
    _recorder.note_object(known[1], tags, times)


class _Waits:
    """A lock that records who waits for it and who releases it."""

    kind = "lock"
    make = staticmethod(_allocate_lock)

    def __init__(self):
        frame = _getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename in (__file__, threading.__file__):
            frame = frame.f_back
        self._lock = self.make()
        self._place = "%s:%d" % (os.path.basename(frame.f_code.co_filename), frame.f_lineno)
        self._number, self._of = 0, ""

    def _known(self):
        if self._of != _recorder.stem:
            self._of, self._number = _recorder.stem, _recorder.object(self.kind, id(self), self._place)
        return self._number

    def acquire(self, blocking=True, timeout=-1):
        buffer = _recorder.current()
        if buffer is None or buffer.busy:
            return self._lock.acquire(blocking, timeout)
        begin = _now()
        got = self._lock.acquire(blocking, timeout)
        if got or blocking:
            _recorder.note_object(self._known(), (_WAIT_BEGIN, _WAIT_END), (begin, _now()))
        return got

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
    """The same for a lock that its owner may acquire again."""

    kind = "reentrant lock"
    make = staticmethod(_RLock)


def _wrap_objects():
    threading.Lock, threading.RLock = _Waits, _WaitsAgain
    _wrap_methods(threading.Condition, "condition", ("wait", "wait_for"), ("notify",))
    _wrap_methods(threading.Event, "event", ("wait",), ("set",))
    _wrap_methods(threading.Semaphore, "semaphore", ("acquire",), ("release",))
    threading.Semaphore.__enter__ = threading.Semaphore.acquire
    threading.BoundedSemaphore.__enter__ = threading.Semaphore.acquire
    _wrap_methods(threading.BoundedSemaphore, "semaphore", (), ("release",))
    _wrap_methods(threading.Barrier, "barrier", ("wait",), ())
    _wrap_methods(threading.Thread, "thread", ("join",), ())


def _wrap_queue(queue):
    """`queue` is wrapped when the program imports it."""
    _wrap_methods(queue.Queue, "queue", ("get", "join"), ("put", "task_done"))


def _wrap_methods(owner, kind, waits, releases):
    for name in waits:
        setattr(owner, name, _waiting(getattr(owner, name), kind))
    for name in releases:
        setattr(owner, name, _releasing(getattr(owner, name), kind))


def _waiting(original, kind):
    def wait(self, *args, **kwargs):
        buffer = _recorder.current()
        if buffer is None or buffer.busy:
            return original(self, *args, **kwargs)
        begin = _now()
        buffer.busy += 1
        try:
            return original(self, *args, **kwargs)
        finally:
            buffer.busy -= 1
            _note_of(self, kind, (_WAIT_BEGIN, _WAIT_END), (begin, _now()))

    wait.__name__, wait.__qualname__, wait.__doc__ = original.__name__, original.__qualname__, original.__doc__
    return wait


def _releasing(original, kind):
    def release(self, *args, **kwargs):
        buffer = _recorder.current()
        if buffer is None or buffer.busy:
            return original(self, *args, **kwargs)
        time = _now()
        buffer.busy += 1
        try:
            return original(self, *args, **kwargs)
        finally:
            buffer.busy -= 1
            _note_of(self, kind, (_RELEASE,), (time,))

    release.__name__, release.__qualname__, release.__doc__ = original.__name__, original.__qualname__, original.__doc__
    return release


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


class _AtImport:
    """Wraps `queue` when it is imported, by standing among the finders of imports."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "queue":
            return None
        sys.meta_path.remove(_AtImport)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                spec.loader.exec_module = _wrapping(spec.loader.exec_module)
                return spec
        return None


def _wrapping(execute):
    def exec_module(module):
        execute(module)
        _wrap_queue(module)

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
        if "queue" in sys.modules:
            _wrap_queue(sys.modules["queue"])
        else:
            sys.meta_path.insert(0, _AtImport)
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
