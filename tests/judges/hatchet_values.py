"""What Hatchet reads from a profile, as JSON: run by an interpreter that has `llnl-hatchet`, not by ours.

python hatchet_values.py from_caliperreader FILE [summed]
"""

from __future__ import annotations

import json
import sys
import warnings

warnings.simplefilter("ignore")


def main(how: str, path: str, summed: str = "") -> None:
    """Rows of [name, type of the node, {metric: value}], one for each node and rank; summed: the sum over all ranks."""
    import hatchet  # type: ignore[import-not-found]

    frame = getattr(hatchet.GraphFrame, how)(path)
    metrics = [name for name in (*frame.inc_metrics, *frame.exc_metrics) if name != "name"]
    if summed:
        named = {name: "first" for name in ("name", "type") if name in frame.dataframe}
        frame.dataframe = frame.dataframe.groupby("node", sort=False).agg({**named, **dict.fromkeys(metrics, "sum")})
    kinds = frame.dataframe["type"] if "type" in frame.dataframe else ["function"] * len(frame.dataframe)
    rows = [
        [str(name), str(kind), {metric: float(value) for metric, value in zip(metrics, values, strict=True)}]
        for name, kind, *values in zip(
            frame.dataframe["name"], kinds, *(frame.dataframe[metric] for metric in metrics), strict=True
        )
    ]
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
