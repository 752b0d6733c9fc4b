"""Compiled loops that fill rectangles and images into a grid of pixels.

A pixel is a uint32: red in the lowest byte, then green, blue and alpha, the colours multiplied by alpha already.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.trace.kernels import kernel

Pixels = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

FAR = 1 << 28  # px: beyond any screen, and safe in an int32
PATTERNS = ("", "hatched", "diagonal", "cross")
POWER_STEPS = 1024


def power_table(power: float) -> Floats:
    """float64[POWER_STEPS + 2]: t ** power for t = (row / POWER_STEPS) ** 4, which is smooth also near zero."""
    steps = np.arange(POWER_STEPS + 2) / POWER_STEPS
    return np.asarray(steps ** (4 * power))


@kernel
def pixel_boxes(x0: Floats, x1: Floats, y0: Floats, y1: Floats, way: Floats) -> Numbers:
    """int32[n, 4]: left, right, top and bottom pixel of each bar, right and bottom excluded; at least a pixel each.

    way   x factor, x shift, y factor, y shift: data -> pixels; then the last column and row, which hold what lies
          exactly on the border
    A bar with a coordinate that is not a number is empty.
    """
    boxes = np.zeros((len(x0), 4), np.int32)
    for i in range(len(x0)):
        for axis in range(2):
            a = (x0[i] if axis == 0 else y0[i]) * way[2 * axis] + way[2 * axis + 1]
            b = (x1[i] if axis == 0 else y1[i]) * way[2 * axis] + way[2 * axis + 1]
            if a > b:
                a, b = b, a
            if not (a <= b):
                boxes[i, :] = 0
                break
            a = min(max(a, -FAR), FAR)
            b = min(max(b, -FAR), FAR)
            first, last = int(np.floor(a + 0.5)), int(np.floor(b + 0.5))
            if first >= last:
                middle = (a + b) / 2
                first = int(np.floor(middle))
                if middle == way[4 + axis] + 1:
                    first = int(way[4 + axis])
                last = first + 1
            boxes[i, 2 * axis] = first
            boxes[i, 2 * axis + 1] = last
    return boxes


@kernel
def blend(below: int, red: float, green: float, blue: float, alpha: float) -> int:
    """A pixel with a colour (0..255, not multiplied by alpha) over it; alpha is 0..1."""
    rest = 1.0 - alpha
    r = int(red * alpha + (below & 255) * rest + 0.5)
    g = int(green * alpha + ((below >> 8) & 255) * rest + 0.5)
    b = int(blue * alpha + ((below >> 16) & 255) * rest + 0.5)
    a = int(255.0 * alpha + ((below >> 24) & 255) * rest + 0.5)
    return r | (g << 8) | (b << 16) | (a << 24)


@kernel
def in_stripe(mark: int, x: int, y: int, period: int) -> bool:
    """Whether a pixel lies in a stripe of a pattern. mark: bit 0 = several things in one; the rest is the pattern."""
    wide = max(period // 3, 1)
    if mark & 1 and (x + y) % period < wide:
        return True
    pattern = mark >> 1
    if pattern == 1:
        return y % period < wide
    if pattern == 2:
        return (x - y) % period < wide
    if pattern == 3:
        return (x - y) % period < wide or (x + y) % period < wide
    return False


@kernel
def striped(value: float, bright: bool) -> float:
    """A channel of a colour in a stripe: darker where the colour is bright, else lighter."""
    return value * 0.76 if bright else value + (255.0 - value) * 0.38


@kernel
def power_of(t: float, table: Floats) -> float:
    """`t ** power` from `power_table`, t clamped to 0..1."""
    at = np.sqrt(np.sqrt(min(max(t, 0.0), 1.0))) * (len(table) - 2)
    row = int(at)
    return float(table[row] + (table[row + 1] - table[row]) * (at - row))


@kernel
def cushion_across(x: float, first: float, last: float, at: float) -> float:
    """0..1: how far `x` is on the way from the dark to the bright side of its half of a bar, bright at `at`."""
    if at != at:
        at = (first + last) / 2
    if x < at:
        return (x - first) / (min(at, last) - first)
    return (last - x) / (last - max(at, first))


@kernel
def fill_plain(grid: Any, left: int, right: int, top: int, bottom: int, value: Any) -> None:
    """Give a rectangle of a grid [h, w] one value."""
    for y in range(top, bottom):
        for x in range(left, right):
            grid[y, x] = value


@kernel
def packed(red: float, green: float, blue: float) -> int:
    """An opaque pixel."""
    return int(red + 0.5) | (int(green + 0.5) << 8) | (int(blue + 0.5) << 16) | (255 << 24)


@kernel
def is_covered(boxes: Numbers, color: Any, i: int) -> bool:
    """Whether the next bar hides this one: the same pixels, opaque."""
    if i + 1 >= len(boxes) or color[i + 1 if len(color) > 1 else 0, 3] < 255:
        return False
    same = boxes[i, 0] == boxes[i + 1, 0] and boxes[i, 1] == boxes[i + 1, 1]
    return bool(same and boxes[i, 2] == boxes[i + 1, 2] and boxes[i, 3] == boxes[i + 1, 3])


@kernel
def fill_lit(image: Pixels, part: Any, color: Any, mark: int, grid: Numbers, light: Any) -> None:
    """Fill a part of a bar that is shaded, striped or translucent.

    part   left, right, top and bottom; color: red, green, blue and alpha 0..255
    light  (shaded, multiplied, across float64[w], down float64[h], product, ambient) as in `fill_boxes`
    """
    left, right, top, bottom = part
    red, green, blue, alpha = color
    shaded, multiplied, across, down, product, ambient = light
    period, pattern = grid[2], mark >> 1
    wide = max(period // 3, 1)
    bright = 0.3 * red + 0.59 * green + 0.11 * blue > 140
    other = striped(red, bright), striped(green, bright), striped(blue, bright)
    shine = 1.0
    # Phases of the lines that rise, fall and lie flat, at the beginning of a row.
    first_up, first_fall = (left + top + grid[0] + grid[1]) % period, (left - top + grid[0] - grid[1]) % period
    flat = (top + grid[1]) % period
    for y in range(top, bottom):
        up, fall, dark = first_up, first_fall, down[y]
        for x in range(left, right):
            if shaded:
                psi = across[x] * dark
                if multiplied:
                    psi *= product[y, x]
                    product[y, x] = psi
                shine = ambient + (1.0 - ambient) * psi
            r, g, b = red * shine, green * shine, blue * shine
            if mark > 0:
                rising = (mark & 1 or pattern == 3) and up < wide
                if rising or (pattern & 2 and fall < wide) or (pattern == 1 and flat < wide):
                    r, g, b = other[0] * shine, other[1] * shine, other[2] * shine
                up = up + 1 if up + 1 < period else 0
                fall = fall + 1 if fall + 1 < period else 0
            if alpha == 255:
                image[y, x] = np.uint32(packed(r, g, b))
            else:
                image[y, x] = np.uint32(blend(image[y, x], r, g, b, alpha / 255))
        first_up = first_up + 1 if first_up + 1 < period else 0
        first_fall = first_fall - 1 if first_fall > 0 else period - 1
        flat = flat + 1 if flat + 1 < period else 0


@kernel
def darken(product: Any, left: int, right: int, top: int, bottom: int, across: Floats, down: Floats) -> None:
    """Multiply the shade of a bar into float32[h, w]."""
    shade = across[left:right].astype(np.float32)
    for y in range(top, bottom):
        line, dark = product[y, left:right], np.float32(down[y])
        for x in range(len(line)):
            line[x] *= shade[x] * dark


@kernel
def paint_run(image: Pixels, item: Numbers, run: Any, kept: Pixels, colors: Pixels, numbers: Numbers) -> None:
    """Write a row of pixels to all rows of a run, and forget it.

    run    left, right, top and bottom
    kept   uint32[w]: all bits of a pixel that the run leaves as it is, none of the others
    colors, numbers  [w]: pixels and items, 0 where the run leaves them
    """
    left, right, top, bottom = run
    # Slices, since loops that begin at 0 become instructions for several pixels at once.
    stays, value, row_item = kept[left:right], colors[left:right], numbers[left:right]
    for y in range(top, bottom):
        line = image[y, left:right]
        for x in range(len(line)):
            line[x] = (line[x] & stays[x]) | value[x]
        if len(item) > 0:
            place = item[y, left:right]
            for x in range(len(place)):
                place[x] = (place[x] & np.int32(stays[x])) | row_item[x]
    stays[:], value[:], row_item[:] = np.uint32(0xFFFFFFFF), np.uint32(0), np.int32(0)


@kernel
def fill_boxes(  # noqa: C901 -- one compiled loop
    image: Pixels, item: Numbers, boxes: Numbers, look: Any, shade: Any, product: Any
) -> None:
    """Fill bars one after the other, the last on top.

    image    uint32[h, w]
    item     int32[h, w]
    boxes    int32[n, 4] as of `pixel_boxes`, in pixels of `image`
    look     (color uint8[n or 1, 4], number int32[n or 0], mark uint8[n or 0], outline uint8[4],
             grid int32[4]: x and y of the first pixel in the pattern, its period, pixels of an outline)
    shade    (numbers float64[5 or 0]: fx, fy, pixel of the bright place or NaN, ambient, 1 for shadows alone; table of
             `power_table`; depth int32[n or 0]); without numbers nothing is shaded
    product  float32[h, w] of ones where shade has depths, or is shadows alone, else [0, 0]: shades multiplied so far
    """
    color, number, mark, outline, grid = look
    numbers, table, depth = shade
    height, width = image.shape
    across, down = np.ones(width, np.float64), np.ones(height, np.float64)
    shaded = len(numbers) > 0
    shadow = shaded and numbers[4] > 0
    known = (np.int32(0), np.int32(0), np.int64(0))  # the bar whose shades are in `down`
    # Plain bars of the same height one after the other are a run: one row of it is made, and written to all rows.
    kept, colors = np.full(width, 0xFFFFFFFF, np.uint32), np.zeros(width, np.uint32)
    numbered = np.zeros(width, np.int32)
    run_left, run_right, run_top, run_bottom = width, 0, 0, 0
    for i in range(len(boxes)):
        x0, x1, y0, y1 = boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3]
        left, right, top, bottom = max(x0, 0), min(x1, width), max(y0, 0), min(y1, height)
        c = i if len(color) > 1 else 0
        if left >= right or top >= bottom or (len(depth) == 0 and is_covered(boxes, color, i)):
            continue
        m = mark[i] if len(mark) > 0 else 0
        edge = grid[3] if outline[3] > 0 and min(x1 - x0, y1 - y0) >= 3 * grid[3] else 0
        plain = color[c, 3] == 255 and m == 0 and not shaded and edge == 0
        if run_left < run_right and not (plain and top == run_top and bottom == run_bottom):
            paint_run(image, item, (run_left, run_right, run_top, run_bottom), kept, colors, numbered)
            run_left, run_right = width, 0
        if plain:
            value = np.uint32(color[c, 0] | (color[c, 1] << 8) | (color[c, 2] << 16) | (255 << 24))
            for x in range(left, right):
                kept[x], colors[x] = np.uint32(0), value
            if len(number) > 0:
                for x in range(left, right):
                    numbered[x] = number[i]
            run_left, run_right = min(run_left, left), max(run_right, right)
            run_top, run_bottom = top, bottom
            continue
        if len(number) > 0:
            fill_plain(item, left, right, top, bottom, number[i])
        if color[c, 3] == 255 and m == 0 and not shaded:
            fill_plain(image, left, right, top, bottom, packed(color[c, 0], color[c, 1], color[c, 2]))
        elif color[c, 3] > 0 or m > 0 or shaded:
            if shaded:
                power = np.int64(depth[i]) + 1 if len(depth) > 0 else np.int64(1)
                for x in range(left, right):
                    share = (x + 0.5 - x0) / (x1 - x0)
                    if len(depth) == 0:
                        share = cushion_across(x + 0.5, float(x0), float(x1), numbers[2])
                    far = 1.0 - numbers[0] * share
                    across[x] = power_of(1.0 - far**power, table)
                if y0 != known[0] or y1 != known[1] or power != known[2]:
                    known = (y0, y1, power)
                    for y in range(top, bottom):
                        far = abs(1.0 - 2.0 * numbers[1] * (y + 0.5 - y0) / (y1 - y0))
                        down[y] = power_of(1.0 - far**power, table)
            if shadow:
                darken(product, left, right, top, bottom, across, down)
                continue
            part = (left, right, top, bottom)
            light = (shaded, len(depth) > 0, across, down, product, numbers[3] if shaded else 1.0)
            fill_lit(image, part, (color[c, 0], color[c, 1], color[c, 2], color[c, 3]), m, grid, light)
        if edge > 0:
            for y in range(top, bottom):
                for x in range(left, right):
                    if min(min(x - x0, x1 - 1 - x), min(y - y0, y1 - 1 - y)) < edge:
                        rest = blend(image[y, x], outline[0], outline[1], outline[2], outline[3] / 255)
                        image[y, x] = np.uint32(rest)
    if run_left < run_right:
        paint_run(image, item, (run_left, run_right, run_top, run_bottom), kept, colors, numbered)
    if shadow:
        for y in range(height):
            for x in range(width):
                image[y, x] = np.uint32(int(255.0 * (1.0 - numbers[3]) * (1.0 - product[y, x]) + 0.5) << 24)


@kernel
def fill_image(image: Pixels, item: Numbers, source: Any, number: Numbers, way: Floats, smooth: bool) -> None:
    """Stretch `source` uint8[a, b, 4] over the pixels from x `way[0]` to `way[1]` and y `way[2]` to `way[3]`.

    number   int32[a, b] or [0, 0]. smooth: each pixel is the mean of what it covers, or between its neighbours.
    A side may run backwards (`way[0] > way[1]`): then the image is mirrored.
    """
    height, width = image.shape
    rows, columns = source.shape[0], source.shape[1]
    per_x, per_y = columns / (way[1] - way[0]), rows / (way[3] - way[2])
    for y in range(height):
        v = (y + 0.5 - way[2]) * per_y
        if not (0 <= v < rows):
            continue
        for x in range(width):
            u = (x + 0.5 - way[0]) * per_x
            if not (0 <= u < columns):
                continue
            if len(number) > 0:
                item[y, x] = number[int(v), int(u)]
            if not smooth:
                r, g, b, a = (
                    float(source[int(v), int(u), 0]),
                    float(source[int(v), int(u), 1]),
                    float(source[int(v), int(u), 2]),
                    float(source[int(v), int(u), 3]),
                )
            else:
                half_u, half_v = max(abs(per_x), 1.0) / 2, max(abs(per_y), 1.0) / 2
                r = g = b = a = weight = 0.0
                for sv in range(max(int(v - half_v), 0), min(int(np.ceil(v + half_v)), rows)):
                    high = min(v + half_v, sv + 1.0) - max(v - half_v, float(sv))
                    for su in range(max(int(u - half_u), 0), min(int(np.ceil(u + half_u)), columns)):
                        share = high * (min(u + half_u, su + 1.0) - max(u - half_u, float(su)))
                        alpha = source[sv, su, 3] * share
                        r += source[sv, su, 0] * alpha
                        g += source[sv, su, 1] * alpha
                        b += source[sv, su, 2] * alpha
                        a += alpha
                        weight += share
                if a <= 0.0:
                    continue
                r, g, b, a = r / a, g / a, b / a, a / weight
            image[y, x] = np.uint32(blend(image[y, x], r, g, b, a / 255))
