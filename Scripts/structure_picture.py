"""Draws the targets of the package and their folders as SVG, for Scripts/structure.

One row a layer, users on top. A target's box lists its folders; those of a row use folders of the rows below it only.
Arrows go from a target to the targets it imports; one that follows from others is left out.
"""

import dataclasses
import html

from structure_sources import circles

FONT = "Helvetica, Arial, sans-serif"
TITLE_SIZE, FOLDER_SIZE = 13, 11
PADDING, FOLDER_GAP = 10, 6
FOLDER_HEIGHT, TITLE_HEIGHT = 20, 26
COLUMN_GAP, ROW_GAP, MARGIN = 26, 46, 24
# The widest row of folders in a box.
FOLDERS_WIDE = 420
SWEEPS = 12


@dataclasses.dataclass(eq=False)
class Box:
    """A target, or a bend (`name` is None) of an arrow that passes a row."""

    name: str
    rows: list
    x: float = 0
    y: float = 0
    row_height: float = 0

    @property
    def width(self):
        if self.name is None:
            return 8
        widest = max((sum(chip_width(folder) + FOLDER_GAP for folder in row) - FOLDER_GAP for row in self.rows), default=0)
        return max(text_width(self.name, TITLE_SIZE, bold=True), widest) + 2 * PADDING

    @property
    def height(self):
        if self.name is None:
            return self.row_height
        return TITLE_HEIGHT + len(self.rows) * (FOLDER_HEIGHT + FOLDER_GAP) + (PADDING - FOLDER_GAP if self.rows else 2)

    @property
    def middle(self):
        return self.x + self.width / 2


def text_width(text, size, bold=False):
    """About as wide as the font is; no font is read."""
    narrow = sum(character in "iljtfr.-/ " for character in text)
    return (len(text) - 0.5 * narrow) * size * (0.70 if bold else 0.62)


def chip_width(folder):
    return text_width(folder, FOLDER_SIZE) + 12


def draw(package, layers):
    arrows = reduced({target: dependencies(package, target) for layer in layers for target in layer})
    rows, links = layout_rows(package, layers, arrows)
    order(rows, links)
    place(rows, links)
    width = max(box.x + box.width for row in rows for box in row) + MARGIN
    height = max(box.y + box.height for row in rows for box in row) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="{FONT}">',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0.5 L8 4 L0 7.5 z" fill="#6b7c93"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    parts += [arrow(chain) for chain in links]
    parts += [text for row in rows for box in row if box.name for text in target(box)]
    return "\n".join(parts + ["</svg>"]) + "\n"


def dependencies(package, name):
    return set(package.targets[name].dependencies) if name in package.targets else set()


def reduced(graph):
    """The graph without the arrows that follow from others."""

    def reachable(name):
        below = graph.get(name, ())
        return set(below).union(*(reachable(other) for other in below))

    return {
        name: {other for other in below if not any(other in reachable(third) for third in below if third != other)}
        for name, below in graph.items()
    }


def layout_rows(package, layers, arrows):
    """Boxes in rows, top row first, and each arrow as a chain of boxes, with a bend in every row that it passes."""
    rows = [[] for _ in layers]
    boxes, row_of = {}, {}
    for number, layer in enumerate(reversed(layers)):
        for name in layer:
            if name in package.targets:
                boxes[name] = Box(name, folder_rows(package, name))
                row_of[name] = number
                rows[number].append(boxes[name])
    links = []
    for name in sorted(boxes):
        for other in sorted(arrows[name]):
            if other in boxes and row_of[other] > row_of[name]:
                bends = [Box(None, []) for _ in range(row_of[name] + 1, row_of[other])]
                for number, bend in enumerate(bends, row_of[name] + 1):
                    rows[number].append(bend)
                links.append([boxes[name], *bends, boxes[other]])
    return [row for row in rows if row], links


def folder_rows(package, target):
    """The folders of a target by level: each uses folders of lower rows only."""
    links = package.folder_links(target)
    folders = sorted({source.folder for source in package.of(target)})
    if folders in ([], ["."]):
        return []
    group = {folder: folder for folder in folders}
    for circle in circles(links):
        group |= {folder: circle[0] for folder in circle}
    below = {folder: set() for folder in folders}
    for folder in folders:
        below[group[folder]] |= {group[other] for other in links.get(folder, ())} - {group[folder]}

    def level(folder):
        return 1 + max((level(other) for other in below[folder]), default=-1)

    levels = {}
    for folder in folders:
        levels.setdefault(level(group[folder]), []).append(folder if folder != "." else "top files")
    return [row for number in sorted(levels, reverse=True) for row in wrapped(levels[number])]


def wrapped(folders):
    rows, width = [[]], 0
    for folder in folders:
        width += chip_width(folder) + FOLDER_GAP
        if rows[-1] and width > FOLDERS_WIDE:
            rows.append([])
            width = chip_width(folder) + FOLDER_GAP
        rows[-1].append(folder)
    return rows


def neighbours(links):
    up, down = {}, {}
    for chain in links:
        for above, below in zip(chain, chain[1:]):
            down.setdefault(above, []).append(below)
            up.setdefault(below, []).append(above)
    return up, down


def order(rows, links):
    """Sorts each row by the mean position of what it is linked to, down and up in turn, so that few arrows cross."""
    up, down = neighbours(links)
    for sweep in range(SWEEPS):
        is_down = sweep % 2 == 0
        for row in rows if is_down else reversed(rows):
            positions = {box: index / len(other) for other in rows for index, box in enumerate(other)}
            linked = up if is_down else down

            def key(box):
                values = [positions[other] for other in linked.get(box, ())] or [positions[box]]
                return sum(values) / len(values)

            row.sort(key=key)


def place(rows, links):
    up, down = neighbours(links)
    y = MARGIN
    for row in rows:
        x = MARGIN
        for box in row:
            box.x, box.y = x, y
            x += box.width + COLUMN_GAP
        height = max(box.height for box in row)
        for box in row:
            box.row_height = height
        y += height + ROW_GAP
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            spread(row, lambda box: [other.middle for other in up.get(box, []) + down.get(box, [])])
    left = min(box.x for row in rows for box in row)
    for row in rows:
        for box in row:
            box.x += MARGIN - left


def spread(row, middles):
    """Moves each box below what it is linked to, as far as its neighbours allow; both directions, and the mean of both."""
    wanted = [sum(values) / len(values) - box.width / 2 if (values := middles(box)) else box.x for box in row]
    least, most = list(wanted), list(wanted)
    for index in range(1, len(row)):
        least[index] = max(wanted[index], least[index - 1] + row[index - 1].width + COLUMN_GAP)
    for index in range(len(row) - 2, -1, -1):
        most[index] = min(wanted[index], most[index + 1] - row[index].width - COLUMN_GAP)
    for box, low, high in zip(row, least, most):
        box.x = (low + high) / 2


def arrow(chain):
    """A line from the bottom of the first box to the top of the last one, straight through the rows between."""
    first, last = chain[0], chain[-1]
    x, y = first.middle, first.y + first.height
    path = f"M{x:.1f} {y:.1f}"
    for box in chain[1:]:
        bend = (y + box.y) / 2
        path += f" C{x:.1f} {bend:.1f} {box.middle:.1f} {bend:.1f} {box.middle:.1f} {box.y:.1f}"
        x, y = box.middle, box.y + box.height
        if box is not last:
            path += f" V{y:.1f}"
    return f'<path d="{path}" fill="none" stroke="#6b7c93" stroke-width="1.2" marker-end="url(#head)"/>'


def target(box):
    fill = "#f3f4f6" if box.name.startswith("C") and not box.rows and box.name[1:].startswith("Recorder") else "#e8f0fb"
    yield (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="6" fill="{fill}" '
        'stroke="#9db2cf"/>'
    )
    yield label(box.name, box.middle, box.y + 18, TITLE_SIZE, 'font-weight="bold" fill="#1f2d3d"')
    y = box.y + TITLE_HEIGHT
    for row in box.rows:
        x = box.middle - (sum(chip_width(folder) + FOLDER_GAP for folder in row) - FOLDER_GAP) / 2
        for folder in row:
            width = chip_width(folder)
            yield (
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{FOLDER_HEIGHT}" rx="4" fill="#ffffff" '
                'stroke="#c9d5e6"/>'
            )
            yield label(folder, x + width / 2, y + 14, FOLDER_SIZE, 'fill="#33475b"')
            x += width + FOLDER_GAP
        y += FOLDER_HEIGHT + FOLDER_GAP


def label(text, x, y, size, style):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" {style}>{html.escape(text)}</text>'
