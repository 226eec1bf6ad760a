"""The supremum over fixed streams: the adversary writes both whole streams down before round 1.

For a core, the law of a round depends on the inputs alone, so a fixed pair of streams is a tensor product of one-round
power functions. Positions therefore carry sets of products (multisets of one-round chains), not chains.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.chain import Chain
from dpcert.audit.algebra.hulls import Hulls
from dpcert.audit.algebra.power import Order, PowerFunction, supremum
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import END, Level, Move, Pair
from dpcert.audit.limits import look, within
from dpcert.audit.solving.adaptive import lattice_of

PRUNE_FROM, PRUNE_TO = 200, 2_000
"""Numbers of products at one position: from the first on those below another one with a larger kernel are dropped, and
up to the second those below any single other one."""
MOST_ORDERED = 100
"""Kernels, up to which all are compared with each other to drop products that have a larger one elsewhere."""
MOST_PRODUCTS = 50_000
"""Past this many distinct products at one position only a part is kept, and the answer is a bracket."""

MOST_AT_ONCE = 100
"""Products of which the hull is taken at a stretch."""

Product = tuple[int, ...]
"""One-round kernels by number, ascending; a kernel that reveals nothing is left out."""


Step = tuple[int, frozenset[Product]]
"""A kernel and the products that can follow it."""


@frozen
class FixedStream:
    """The fixed-stream supremum: the products reachable from the root and the power function of each.

    `complete` is False when products were dropped, or not computed in time; then `power` is a lower bound only.
    `interrupted` says that an interrupt ended it.
    """

    levels: tuple[Level, ...]
    complete: bool
    curves: dict[Product, PowerFunction]
    """The power function of each distinct product at the root."""
    power: PowerFunction
    """The concave hull over all fixed pairs of streams."""
    _kernels: "_Kernels"
    _sets: tuple[tuple[frozenset[Product], ...], ...]
    interrupted: bool = False

    def witness(self, exp_epsilon: Fraction, order: Order) -> tuple[Pair, ...]:
        """A pair of streams, round by round, that attains the hockey-stick value at this slope and order."""
        return self.streams(max(self.curves, key=lambda product: self.curves[product].hockey_stick(exp_epsilon, order)))

    def streams(self, product: Product) -> tuple[Pair, ...]:
        """A pair of streams, round by round, with the power function of this product."""
        pairs: list[Pair] = []
        position, wanted = 0, product
        for level, after in zip(self.levels, self._sets[1:], strict=True):
            move, wanted = self._step(level.moves[position], after, wanted)
            pairs.append(move.pair)
            position = move.outcomes[0].after
        return tuple(pairs)

    def _step(
        self, moves: Sequence[Move], after: Sequence[frozenset[Product]], wanted: Product
    ) -> tuple[Move, Product]:
        for move in moves:
            rest = _without(wanted, self._kernels.number(move))
            if rest is not None and rest in _after(move, after):
                return move, rest
        raise RuntimeError("a product has no move that leads to it")


@dataclass(eq=False, repr=False)
class _Kernels:
    """One-round chains numbered by content (0 reveals nothing), and their tensor powers and products."""

    hulls: Hulls
    numbers: dict[Chain, int] = field(default_factory=lambda: {chains.IDENTITY: 0})
    powers: list[PowerFunction] = field(default_factory=lambda: [PowerFunction.identity()])
    _of_move: dict[tuple[Any, ...], int] = field(default_factory=dict)
    _order: dict[tuple[int, int], bool] = field(default_factory=dict)
    _products: dict[Product, PowerFunction] = field(default_factory=dict)

    def number(self, move: Move) -> int:
        """The number of the move's one-round chain."""
        look()
        key = move.denominator0, move.denominator1, tuple((o.weight0, o.weight1) for o in move.outcomes)
        number = self._of_move.get(key)
        if number is None:
            chain = chains.ordered([o.weight0 for o in move.outcomes], [o.weight1 for o in move.outcomes], *key[:2])
            chain = chains.IDENTITY if len(chain) == 1 else chain
            number = self._of_move[key] = self.numbers.setdefault(chain, len(self.powers))
            if number == len(self.powers):
                self.powers.append(PowerFunction(chain))
        return number

    def undominated(self, steps: Iterable[Step]) -> list[Step]:
        """The steps without those whose kernel lies below a single other one that leads to the same products."""
        by_rest: dict[frozenset[Product], list[int]] = {}
        for number, rest in steps:
            by_rest.setdefault(rest, []).append(number)
        return [
            (number, rest)
            for rest, numbers in sorted(by_rest.items(), key=lambda item: (len(item[0]), min(item[1])))
            for number in sorted(numbers)
            if not any(other != number and self._below(number, other) for other in numbers)
        ]

    def _below(self, one: int, two: int) -> bool:
        """one <= two; of two kernels with one curve, the later number is below."""
        key = one, two
        if key not in self._order:
            look()
            f, g = self.powers[one], self.powers[two]
            self._order[key] = f <= g and not (f == g and one < two)
        return self._order[key]

    def raised(self, products: set[Product]) -> set[Product]:
        """The products without those of which another one has a kernel more, or a larger one in place of one.

        Each that goes lies below one that stays, since the order of kernels has no circles.
        """
        larger: dict[int, list[int]] = {0: list(range(1, len(self.powers)))}
        survivors: set[Product] = set()
        for product in products:
            look()
            for number in (0, *dict.fromkeys(product)):
                if number not in larger:
                    larger[number] = [other for other in larger[0] if other != number and self._below(number, other)]
                at = product.index(number) if number else len(product)
                rest = product[:at] + product[at + 1 :]
                if any(_with(rest, other) in products for other in larger[number]):
                    break
            else:
                survivors.add(product)
        return survivors

    def maximal(self, products: set[Product], budget: Budget) -> set[Product]:
        """The products whose curves lie below no single other one's (never below a hull only: streams do not mix)."""
        from dpcert.audit.algebra.dominance import Compared

        maxima: dict[Product, Compared] = {}
        for product in sorted(products, key=lambda p: (-self.power(p).total_variation, p)):
            budget.check()
            curve = Compared(self.power(product).chain)
            if not curve.below_one_of(list(maxima.values())):
                maxima[product] = curve
        return set(maxima)

    def power(self, product: Product) -> PowerFunction:
        """The tensor product of the kernels in `product`."""
        power = self._products.get(product)
        if power is None:
            look()
            power = self._products[product] = self._computed(product)
        return power

    def _computed(self, product: Product) -> PowerFunction:
        """From one that is known and lacks a kernel, where there is one."""
        if not product:
            return PowerFunction.identity()
        fewer = {number: _without(product, number) or () for number in dict.fromkeys(reversed(product))}
        number = next((n for n, rest in fewer.items() if rest in self._products), product[-1])
        kernel, rest = self.powers[number].chain, self.power(fewer[number]).chain
        runs = [(a, b, rest) for a, b in zip(kernel.mass0, kernel.mass1, strict=True)]
        return PowerFunction(self.hulls.of(kernel.total0 * rest.total0, kernel.total1 * rest.total1, [runs])[0])

    def keep(self, products: Iterable[Product]) -> None:
        """Forgets the curves of all other products."""
        self._products = {product: self._products[product] for product in products if product in self._products}
        self.hulls.let_go()


def fixed_stream(
    levels: Sequence[Level], budget: Budget | None = None, most_products: int = MOST_PRODUCTS
) -> FixedStream:
    """The fixed-stream supremum of a game on a core, exactly, or its best part once products outgrow the bound.

    Source: paper.tex, defn:power_mech (the non-adaptive part); fixed pairs enter a hull at the root only.
    """
    budget = budget or Budget()
    kernels = _Kernels(Hulls(lambda: lattice_of(levels)))
    with within(budget.check):
        complete, sets = _product_sets(levels, kernels, budget, most_products)
    curves: dict[Product, PowerFunction] = {}
    power = PowerFunction.identity()
    products = sorted(sets[0][0])
    with best_so_far(budget) as part, within(budget.check):
        while len(curves) < len(products):
            batch = products[len(curves) : 2 * len(curves) + 1][:MOST_AT_ONCE]
            powers = {product: kernels.power(product) for product in batch}
            power = supremum([power, *powers.values()])
            curves |= powers
    if not curves:
        part.pass_on()
    complete = complete and not part.stopped
    return FixedStream(tuple(levels), complete, curves, power, kernels, sets, part.interrupted)


def _product_sets(
    levels: Sequence[Level], kernels: "_Kernels", budget: Budget, most_products: int
) -> tuple[bool, tuple[tuple[frozenset[Product], ...], ...]]:
    """Whether none had to be dropped, and level by level the products that each position leads to."""
    complete = True
    sets: list[tuple[frozenset[Product], ...]] = [()]
    for level in reversed(levels):
        products_of: dict[frozenset[Step], frozenset[Product]] = {}
        level_sets = []
        for moves in level.moves:
            budget.check()
            steps = frozenset((kernels.number(move), _after(move, sets[-1])) for move in moves)
            if steps not in products_of:
                products = _products(steps, kernels, budget)
                complete = complete and len(products) <= most_products
                products_of[steps] = frozenset(products if complete else sorted(products)[:most_products])
            level_sets.append(products_of[steps])
        sets.append(tuple(level_sets))
        kernels.keep(frozenset().union(*level_sets))
    return complete, tuple(reversed(sets))


def _products(steps: Iterable[Step], kernels: "_Kernels", budget: Budget) -> set[Product]:
    """The products of some steps, without those below a single other one where that pays."""
    products: set[Product] = set()
    for number, after in kernels.undominated(steps):
        look()
        products |= {_with(product, number) for product in after}
    if len(products) < PRUNE_FROM:
        return products
    if len(kernels.powers) <= MOST_ORDERED:
        products = kernels.raised(products)
    return kernels.maximal(products, budget) if len(products) <= PRUNE_TO else products


def _after(move: Move, sets: Sequence[frozenset[Product]]) -> frozenset[Product]:
    """What can follow a move; every outcome of a core leads to one position."""
    after = move.outcomes[0].after
    return frozenset({()}) if after == END else sets[after]


def _with(product: Product, number: int) -> Product:
    return tuple(sorted((*product, number))) if number else product


def _without(product: Product, number: int) -> Product | None:
    if not number:
        return product
    counts = Counter(product)
    if not counts[number]:
        return None
    counts[number] -= 1
    return tuple(sorted(counts.elements()))
