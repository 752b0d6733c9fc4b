"""A day at the mill."""

import threading
from collections.abc import Callable

from mill.bakery import OVENS, Oven, serve
from mill.compressor import Compressor
from mill.farm import MILLERS, Yard, farm, mill
from mill.gate import Gate
from mill.ledger import Ledger
from mill.scales import Scales
from mill.watch import Alarm, Vane


def start(name: str, work: Callable[..., None], *arguments: object) -> threading.Thread:
    """A thread of that name."""
    thread = threading.Thread(target=work, args=arguments, name=name)
    thread.start()
    return thread


def main() -> None:
    """Start everybody, write the ledger, and wait for the end of the day."""
    yard, scales, compressor, gate, ledger = Yard(), Scales(), Compressor(), Gate(), Ledger()
    ovens = [Oven() for _ in range(OVENS)]
    threading.Thread(target=Alarm().monitor, name="monitor", daemon=True).start()
    threading.Thread(target=Vane().watch, name="vane", daemon=True).start()
    others = [start("compressor", compressor.run), start("clerk", ledger.copy)]
    millers = [start(f"miller {row + 1}", mill, yard, scales, compressor) for row in range(MILLERS)]
    rest = [start("farmer", farm, yard, scales), start("inspector", scales.inspect)]
    rest += [start(f"cart {row + 1}", gate.carry) for row in range(3)]
    rest += [start(f"oven {row + 1}", oven.run) for row, oven in enumerate(ovens)]
    rest.append(start("baker", serve, ovens))
    ledger.write_day()
    for thread in millers + rest:
        thread.join()
    compressor.stop()
    for thread in others:
        thread.join()


if __name__ == "__main__":
    main()
