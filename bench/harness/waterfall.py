"""A plot of when each image of a page has got how far: one row an image."""

from page_load import PHASES
from svg import BOTTOM, COLOURS, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis, Scale, document, frame, legend, rectangle

GREY = "#e8e8e8"  # asked for, nothing there


def waterfall(title, images, end):
    """`images[i][phase]` are seconds; each row is grey until the head is there, then has the colour of what it shows."""
    across = Scale(Axis("", high=end), [], LEFT, WIDTH - RIGHT)
    down = Scale(Axis("", high=len(images)), [], TOP, HEIGHT - BOTTOM)
    parts = frame(across, down, Axis("seconds since the first request"), Axis("images, in the order of the requests"))
    parts += legend([(phase, "solid") for phase in PHASES])
    thick = (HEIGHT - BOTTOM - TOP) / len(images)
    for number, image in enumerate(images):
        edges = [0.0, *(image[phase] for phase in PHASES), end]
        for colour, begin, until in zip((GREY, *COLOURS), edges, edges[1:]):
            left, right = across.place(begin), across.place(until)
            if right > left:
                parts.append(rectangle(left, down.place(number), right - left, thick, colour))
    return document(parts, title)
