"""Headers that come with C, C++ and common systems, which a folder's own files do not stand for."""

from __future__ import annotations

_C = frozenset(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic"
    " stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype".split()
)  # C23 7.1.2
_CPP = frozenset(
    "algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable"
    " coroutine debugging deque exception execution expected filesystem flat_map flat_set format forward_list fstream"
    " functional future generator hazard_pointer initializer_list inplace_vector iomanip ios iosfwd iostream istream"
    " iterator latch limits linalg list locale map mdspan memory memory_resource mutex new numbers numeric optional"
    " ostream print queue random ranges ratio rcu regex scoped_allocator semaphore set shared_mutex simd"
    " source_location span spanstream sstream stack stacktrace std std.compat stdexcept stdfloat stop_token streambuf"
    " string string_view strstream syncstream system_error text_encoding thread tuple type_traits typeindex typeinfo"
    " unordered_map unordered_set utility valarray variant vector version".split()
)  # C++26 [headers]
_STANDARD = frozenset(f"{name}.h" for name in _C) | _CPP | frozenset(f"c{name}" for name in _C)
# POSIX.1-2024 (XBD chapter 14), and what Linux, the BSDs, macOS and Windows have beside.
_SYSTEM = frozenset(
    "aio alloca arpa/inet byteswap cpio crtdbg cpuid dbghelp dirent direct dlfcn elf endian err execinfo fcntl features"
    " fmtmsg fnmatch ftw getopt glob grp iconv ifaddrs immintrin emmintrin xmmintrin pmmintrin smmintrin tmmintrin"
    " intrin x86intrin arm_neon inttypes io iphlpapi langinfo libgen libintl libproc link malloc memory monetary mqueue"
    " ndbm netdb nl_types objbase paths poll process psapi pthread pty pwd regex resolv sched search semaphore shellapi"
    " shlobj shlwapi share spawn strings stropts sysexits syslog tar tchar tcpmib termio termios trace ucontext ulimit"
    " unistd util utime utmp utmpx values winbase windef windows winerror winnt winsock winsock2 winuser wordexp ws2tcpip"
    " mswsock wincrypt bcrypt tlhelp32 versionhelpers excpt conio sal varargs crypt kstat port procinfo".split()
)
_SYSTEM_FOLDERS = frozenset(
    "sys net netinet netinet6 netpacket arpa linux asm asm-generic bits gnu mach mach-o machine rpc scsi sound vm"
    " CoreFoundation CoreServices Foundation IOKit Security SystemConfiguration TargetConditionals.h AvailabilityMacros.h"
    " Availability.h libkern os dispatch xpc experimental".split()
)


def is_standard(name: str) -> bool:
    """Whether the C or C++ standard has this header, or module."""
    return name in _STANDARD


def is_system(name: str) -> bool:
    """Whether a header in angles comes with the compiler or the system."""
    first = name.partition("/")[0]
    return name in _STANDARD or (name.endswith(".h") and name[:-2] in _SYSTEM) or first in _SYSTEM_FOLDERS
