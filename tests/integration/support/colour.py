"""How far two pictures are apart, as people see it."""

from support.picture import Picture


def distance(made: Picture, wanted: Picture, block: int) -> float:
    """Mean distance (CIE76) of the colours of two pictures of one size, both over white, each colour the mean of a
    square of `block` pixels a side."""
    assert made.size == wanted.size
    block = max(1, min(block, made.width // 4, made.height // 4))
    pairs = zip(_block_colours(made, block), _block_colours(wanted, block), strict=True)
    distances = [
        sum((have - want) ** 2 for have, want in zip(_lab(*left), _lab(*right))) ** 0.5 for left, right in pairs
    ]
    return sum(distances) / len(distances)


def _block_colours(picture: Picture, block: int) -> list[tuple[float, ...]]:
    """Means of red, green and blue of whole blocks, row by row."""
    planes = _planes_over_white(picture)
    colours = []
    for top in range(0, picture.height - block + 1, block):
        rows = [(top + offset) * picture.width for offset in range(block)]
        for left in range(0, picture.width - block + 1, block):
            sums = (sum(sum(plane[row + left : row + left + block]) for row in rows) for plane in planes)
            colours.append(tuple(total / block**2 for total in sums))
    return colours


def _planes_over_white(picture: Picture) -> list:
    """Red, green and blue of the first page as they look on a white page, 0 to 255."""
    assert picture.bits == 8 and picture.bands in (3, 4)
    end = picture.width * picture.height * picture.bands
    planes = [picture.pixels[band : end : picture.bands] for band in range(picture.bands)]
    if picture.bands == 3:
        return planes
    return [[255 + (value - 255) * alpha / 255 for value, alpha in zip(plane, planes[3])] for plane in planes[:3]]


def _lab(red: float, green: float, blue: float) -> tuple[float, float, float]:
    """sRGB, 0 to 255, to CIE L*a*b* (IEC 61966-2-1, D65)."""
    r, g, b = (_linear(value / 255) for value in (red, green, blue))
    x = _lab_curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505)
    y = _lab_curve(0.2126 * r + 0.7152 * g + 0.0722 * b)
    z = _lab_curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _lab_curve(value: float) -> float:
    return value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
