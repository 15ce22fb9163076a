"""Medians, percentiles and spreads of measured values."""

import math


def percentile(values, share):
    """The value below which `share` (0 to 1) of `values` lie, by nearest rank; NaN for none."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]


def median(values):
    """The middle value, or the mean of the two in the middle; NaN for none."""
    if not values:
        return math.nan
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


class Spread:
    """Values of repeated rounds: their median, and how far they lie apart."""

    def __init__(self, values):
        self.values = list(values)
        self.median = median(self.values)
        self.low = min(self.values, default=math.nan)
        self.high = max(self.values, default=math.nan)
        self.quarter = percentile(self.values, 0.25)
        self.three_quarters = percentile(self.values, 0.75)

    def text(self, digits=3, unit=""):
        """As in `1.034 (1.021 to 1.052, n=7)`."""
        return (
            f"{self.median:.{digits}f}{unit} ({self.low:.{digits}f} to {self.high:.{digits}f}{unit}, "
            f"n={len(self.values)})"
        )
