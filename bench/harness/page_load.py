"""What a log of bytes means for the person in front of the page."""

import dataclasses

PHASES = ("head", "first", "good", "full")
SEEN = {"head": 0.0, "first": 0.5, "good": 0.9, "full": 1.0}  # of an image, at the end of a phase


@dataclasses.dataclass
class PageLoad:
    """`times[i][phase]`: seconds after the first request at which image i was complete up to that phase."""

    times: list
    late: float  # seconds from the late request to its last byte; None without one
    total: float  # seconds to the last byte of all

    def of_phase(self, phase):
        return [image[phase] for image in self.times]

    def completeness(self, at):
        """Mean share of an image that is seen at `at` seconds."""
        return sum(seen_at(image, at) for image in self.times) / len(self.times)

    @property
    def speed_index(self):
        """Seconds: the integral of what is not seen yet, the mean over all images."""
        total = 0.0
        for image in self.times:
            before = 0.0
            for phase in PHASES:
                total += (SEEN[phase] - before) * image[phase]
                before = SEEN[phase]
        return total / len(self.times)


def seen_at(image, at):
    return max((SEEN[phase] for phase in PHASES if image[phase] <= at), default=0.0)


def evaluate(log, cuts, has_late):
    """`cuts[i]` is the offset of the end of each phase of image i, in the order of `PHASES`."""
    count = len(cuts) - (1 if has_late else 0)
    times = [{} for _ in cuts]
    for at, index, received in log["events"]:
        for phase, end in zip(PHASES, cuts[index]):
            if received >= end:
                times[index].setdefault(phase, at)
    late = log["ended"][-1] - log["asked"][-1] if has_late else None
    return PageLoad(times[:count], late, max(log["ended"]))
