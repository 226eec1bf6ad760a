"""Which edges and slopes a thinned curve keeps: the fewest, by trying each one after another in fractions."""

from bisect import bisect_left
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from instances.seeds import chosen

from dpcert.audit.algebra.chain import Chain, ordered
from dpcert.audit.certificates.heights import Heights, Ray
from dpcert.audit.certificates.outward import Outward, _knots, _ThinnedEdges, live_corners
from dpcert.audit.certificates.tolerances import TOLERANCE_UNIT
from dpcert.audit.certificates.touching import _arc, touching

Corner = tuple[Fraction, Fraction]


def bent(rng: Random, length: int) -> Chain:
    """A chain that bends evenly, so that many edges are near lines that meet above them; or one that does not."""
    if rng.randrange(3):
        zeros, ones = [length + i for i in range(length)], [4 * length - 3 * i for i in range(length)]
    else:
        zeros, ones = ([rng.randrange(1, 9) for _ in range(length)] for _ in range(2))
    if rng.randrange(2):
        zeros, ones = [0, *zeros], [rng.randrange(1, 9), *ones]
    if rng.randrange(2):
        zeros, ones = [*zeros, rng.randrange(1, 9)], [*ones, 0]
    return ordered(zeros, ones, sum(zeros), sum(ones))


def corners_of(chain: Chain) -> list[Corner]:
    return [(Fraction(x, chain.total0), Fraction(y, chain.total1)) for x, y in chain.vertices()]


def highest(corners: list[Corner], x: Fraction) -> Fraction:
    """The height of a curve at x; where it goes straight up, the top."""
    at = max(i for i, corner in enumerate(corners) if corner[0] <= x)
    if at + 1 == len(corners) or corners[at][0] == x:
        return corners[at][1]
    (x0, y0), (x1, y1) = corners[at], corners[at + 1]
    return y0 + (x - x0) * (y1 - y0) / (x1 - x0)


def turned(corners: list[Corner]) -> list[Corner]:
    """The curve seen from the end: how far to the left of the end, by how far below it."""
    return [(1 - y, 1 - x) for x, y in reversed(corners)]


def meeting(one: tuple[Corner, Corner], two: tuple[Corner, Corner]) -> Corner:
    """Where two lines meet, each given by two points."""
    (px, py), (qx, qy) = one
    (rx, ry), (sx, sy) = two
    ax, ay, bx, by = qx - px, qy - py, sx - rx, sy - ry
    along = ((ry - py) * bx - (rx - px) * by) / (ay * bx - ax * by)
    return px + along * ax, py + along * ay


def is_near(corners: list[Corner], i: int, j: int, within: int) -> bool:
    """Whether edges i and j meet near the curve: upwards if the first is steep, to the left if the second is flat."""
    if j == i + 1:
        return True
    first, second = (corners[i], corners[i + 1]), (corners[j], corners[j + 1])
    x, y = meeting(first, second)
    steep = first[1][1] - first[0][1] > first[1][0] - first[0][0]
    flat = second[1][1] - second[0][1] < second[1][0] - second[0][0]
    if steep and y - highest(corners, x) > Fraction(1, within):
        return False
    return not flat or (1 - x) - highest(turned(corners), 1 - y) <= Fraction(1, within)


def one_after_another(corners: list[Corner], within: int) -> list[int]:
    """The first edge, and after each the last one that it may be followed by."""
    numbers, last = [0], len(corners) - 2
    while numbers[-1] < last:
        at = numbers[-1]
        while at < last and is_near(corners, numbers[-1], at + 1, within):
            at += 1
        numbers.append(at)
    return numbers


@pytest.mark.parametrize("within", [3, 12, 50, 400])
@pytest.mark.parametrize("seed", chosen(range(32)))
def test_each_edge_is_followed_by_the_last_that_it_may_be(seed: int, within: int) -> None:
    rng = Random(seed)
    chain = bent(rng, rng.choice((1, 2, 3, 9, 20)))
    corners = corners_of(chain)
    edges = _ThinnedEdges(chain, within)
    numbers = edges.chosen()
    assert numbers == one_after_another(corners, within)
    for i, j in pairwise(numbers):
        x, y, below = edges.crossing(i, j)
        drawn = Fraction(x, below * chain.total0), Fraction(y, below * chain.total1)
        assert drawn == (
            corners[j] if j == i + 1 else meeting((corners[i], corners[i + 1]), (corners[j], corners[j + 1]))
        )


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_whether_two_edges_meet_near_the_curve_is_as_in_fractions(seed: int) -> None:
    rng = Random(100 + seed)
    chain = bent(rng, 6)
    corners, last = corners_of(chain), len(chain) - 1
    for within in (1, 2, 5, 9, 30):
        edges = _ThinnedEdges(chain, within)
        for i in range(last):
            for j in range(i + 1, last + 1):
                assert edges._near(i, j) is is_near(corners, i, j, within)


def test_a_distance_of_exactly_what_is_allowed_is_near() -> None:
    """The lines of the outer two of three edges meet a sixth over the curve, and a sixth to the left of it."""
    chain = Chain((2, 4, 10), (10, 4, 2), 16, 16)
    assert [_ThinnedEdges(chain, within).chosen() for within in (5, 6, 7)] == [[0, 2], [0, 2], [0, 1, 2]]
    corners = corners_of(chain)
    assert meeting((corners[0], corners[1]), (corners[2], corners[3])) == (Fraction(1, 6), Fraction(5, 6))
    assert highest(corners, Fraction(1, 6)) == Fraction(2, 3)
    straight_up = Chain((0, 4, 12), (4, 6, 6), 16, 16)  # the lines meet a quarter above where it goes straight up
    assert [_ThinnedEdges(straight_up, within).chosen() for within in (3, 4, 5)] == [[0, 2], [0, 2], [0, 1, 2]]


# --- slopes


def lines_of(chain: Chain, rays: list[Ray]) -> set[Corner]:
    """The corners of the least curve over a chain that is as high as it at some slopes, by the lines that touch there.

    Where one segment or none lies between two slopes, its ends stay.
    """
    corners = corners_of(chain)
    points: set[Corner] = set()
    ordered_rays = [(1, 0), *sorted(rays, key=lambda ray: Fraction(ray[1], ray[0])), (0, 1)]
    touched = []
    for a, b in ordered_rays:
        most = max(b * y - a * x for x, y in corners)
        touched.append([i for i, (x, y) in enumerate(corners) if b * y - a * x == most])
    for ((a, b), one), ((c, d), two) in pairwise(zip(ordered_rays, touched, strict=True)):
        at, end = max(one) if (a, b) != (1, 0) else 0, min(two)
        if end - at > 1:
            (x0, y0), (x1, y1) = corners[at], corners[end]
            points.add(meeting(((x0, y0), (x0 + b, y0 + a)), ((x1, y1), (x1 + d, y1 + c))))
        elif end >= at:
            points |= {corners[at], corners[end]}
    return points - {corners[0], corners[-1]}


@pytest.mark.parametrize("seed", chosen(range(48)))
def test_slopes_that_count_leave_where_the_lines_that_touch_there_meet(seed: int) -> None:
    rng = Random(seed)
    chain = bent(rng, rng.choice((1, 2, 5, 9)))
    rays = sorted({(rng.randrange(1, 9), rng.randrange(1, 9)) for _ in range(rng.randrange(4))})
    rays = list({Fraction(a, b): (a, b) for a, b in rays}.values())
    drawn = {(Fraction(x, z * chain.total0), Fraction(y, z * chain.total1)) for x, y, z in live_corners(chain, rays)}
    ends = {(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))}
    wanted = lines_of(chain, rays)
    between = {corner for corner in drawn - ends if corner not in wanted}
    assert wanted <= drawn | ends
    assert all(on_a_line(corner, sorted(wanted | ends)) for corner in between)


def on_a_line(corner: Corner, outline: list[Corner]) -> bool:
    """Whether a corner lies on a line of an outline: it is left out where corners are rounded."""
    at = bisect_left(outline, corner)
    (x0, y0), (x1, y1) = outline[max(at, 1) - 1], outline[min(max(at, 1), len(outline) - 1)]
    return (corner[1] - y0) * (x1 - x0) == (y1 - y0) * (corner[0] - x0)


def is_allowed(heights: Heights, most: dict[Ray, int], one: Ray, two: Ray) -> bool:
    """Whether the line between the heights at two slopes is near enough at all of some slopes in between."""
    for ray, allowed in most.items():
        low = one[0] * ray[1] - one[1] * ray[0]
        high = ray[0] * two[1] - ray[1] * two[0]
        if low > 0 and high > 0:
            whole = one[0] * two[1] - one[1] * two[0]
            line = Fraction(heights.of(one) * high + heights.of(two) * low, whole)
            if line > heights.of(ray) + min(ray) * heights.unit * Fraction(allowed, TOLERANCE_UNIT):
                return False
    return True


@pytest.mark.parametrize("seed", chosen(range(48)))
def test_each_slope_is_followed_by_the_last_to_which_a_line_is_near_enough(seed: int) -> None:
    rng = Random(seed)
    chain = bent(rng, rng.choice((2, 5, 9, 14)))
    heights = Heights(chain)
    scale = rng.choice((0, TOLERANCE_UNIT // 500, TOLERANCE_UNIT // 20, TOLERANCE_UNIT // 3))
    most = {ray: rng.randrange(scale + 1) for ray in heights.slopes([*range(len(chain))])}
    most |= {(rng.randrange(1, 9), rng.randrange(1, 9)): rng.randrange(scale + 1) for _ in range(3)}
    rays = [(1, 0), *sorted(most, key=lambda ray: Fraction(ray[1], ray[0])), (0, 1)]
    kept = [0]
    while kept[-1] < len(rays) - 1:
        at = kept[-1] + 1
        while at + 1 < len(rays) and is_allowed(heights, most, rays[kept[-1]], rays[at + 1]):
            at += 1
        kept.append(at)
    assert _knots(heights, most) == [rays[at] for at in kept[1:-1]]


@pytest.mark.parametrize("seed", chosen(range(16)))
def test_where_all_slopes_count_a_thinned_curve_is_near_at_all(seed: int) -> None:
    rng = Random(seed)
    chain = bent(rng, 9)
    for within, share in ((4, Fraction(1)), (12, Fraction(1, 2)), (400, Fraction(1))):
        outward = Outward(within, 1 << 30)
        made, own = Heights(outward.of(chain, share)), Heights(chain)
        for a, b in [(a, b) for a in (1, 2, 5) for b in (1, 2, 3)]:
            excess = Fraction(made.of((a, b)), made.unit) - Fraction(own.of((a, b)), own.unit)
            assert 0 <= excess <= min(a, b) * share / within + Fraction(2 * (a + b), outward.grid)


@pytest.mark.parametrize("seed", chosen(range(24)))
def test_half_of_what_may_be_lost_is_lost_by_edges_and_half_between_slopes(seed: int) -> None:
    rng = Random(seed)
    chain = bent(rng, 14)
    for everywhere in (TOLERANCE_UNIT // 3, TOLERANCE_UNIT // 25, TOLERANCE_UNIT // 400):
        outward, heights, half = Outward(1, 1 << 40), Heights(chain), everywhere // 2
        edges = one_after_another(corners_of(chain), -(-TOLERANCE_UNIT // half))
        knots = _knots(heights, dict.fromkeys(heights.slopes(edges), half))
        assert outward.near(chain, everywhere, {}) == outward._rounded(live_corners(chain, knots), chain)


# --- rounding, and touching in a chain's own units


@pytest.mark.parametrize("grid", [4, 10, 64])
@pytest.mark.parametrize("seed", chosen(range(12)))
def test_corners_are_rounded_up_and_to_the_left(seed: int, grid: int) -> None:
    """The least concave curve over the corners so rounded, on a grid: by the largest of all lines between two."""
    rng = Random(seed)
    chain = bent(rng, 5)
    crossings = [(x, y, 1) for x, y in [*chain.vertices()][1:-1]]
    made = Outward(1, grid)._rounded(crossings, chain)
    points = [(0, 0), (grid, grid)]
    points += [(x * grid // chain.total0, min(grid, -(-y * grid // chain.total1))) for x, y, _ in crossings]
    assert made.total0 == made.total1 == grid
    assert all(b1 * a0 > b0 * a1 for (a0, b1), (b0, a1) in _neighbours(made))
    outline = [(Fraction(x), Fraction(y)) for x, y in made.vertices()]
    for x in range(grid + 1):
        hull = max(_between(p, q, x) for p in points for q in points if p[0] <= x <= q[0])
        assert highest(outline, Fraction(x)) == hull
    assert set(outline) <= set(points)


def _neighbours(chain: Chain) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    steps = list(zip(chain.mass0, chain.mass1, strict=True))
    return [((b[0], a[1]), (a[0], b[1])) for a, b in pairwise(steps)]


def _between(p: tuple[int, int], q: tuple[int, int], x: int) -> Fraction:
    return Fraction(max(p[1], q[1])) if p[0] == q[0] else p[1] + Fraction((x - p[0]) * (q[1] - p[1]), q[0] - p[0])


def test_between_slopes_two_segments_stand_for_many_where_they_meet_low_enough() -> None:
    """The lines of the first and the last of four edges meet at (3, 11), or above it if that is no whole number."""
    corners = [(0, 0), (2, 8), (4, 13), (7, 16), (9, 17)]
    ends = [(2, 8), (9, 17)]
    x, y = meeting(
        ((Fraction(0), Fraction(0)), (Fraction(2), Fraction(8))),
        ((Fraction(7), Fraction(16)), (Fraction(9), Fraction(17))),
    )
    assert (x, y) == (Fraction(25, 7), Fraction(100, 7))
    assert _arc(corners, (1, 0), (0, 1)) == [(3, 15), (9, 17)]
    assert _arc(corners, (1, 0), (1, 3)) == [(3, 15), (9, 17)]  # just on the line that touches at the end
    assert _arc(corners, (1, 0), (17, 9)) == corners[1:]  # 15 at 3 lies above the line of slope 17/9 through the end
    assert _arc(corners[:3], (1, 0), (0, 1)) == corners[1:3]
    assert ends[0] in corners


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_where_all_edges_count_the_chain_stays_as_it_is(seed: int) -> None:
    rng = Random(seed)
    chain = bent(rng, 6)
    rays = Heights(chain).slopes([*range(len(chain))])
    assert touching(chain, rays) == Chain(tuple(chain.mass0), tuple(chain.mass1), chain.total0, chain.total1)
