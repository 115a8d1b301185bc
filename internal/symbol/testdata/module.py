"""Module doc's."""
from __future__ import annotations
import os, sys
from x import (
    a,
    b,
)

MAX = 10
A, B = 1, 2
x: int = 3
__all__ = [
    "a",
    'b',
]

@decorator(a=1)
# between
@other
class Foo(Base, metaclass=M):
    """Doc { " it's."""

    attr: int = 1
    other = {"a": [1, 2]}

    def __init__(self, a, *, b='it\'s') -> None:
        """doc"""
        self.a = a
        if a:
            def inner():
                pass
            for x in (1, 2):
                print(f"{a['x']} {b!r:>{width}} {{ # no", x)
        # trailing comment

    @property
    async def prop(self): return 1

    class Nested:
        def m(self):
            s = '''
 def no(): pass
'''
            return (1,)
    @staticmethod
    def one(): pass; x = 1

def func(
    a: int,
    b: str = r"\d{",
) -> dict[str, int]:
    x = a + \
        b
    return x if x else {
        'a': 1,
    }
if TYPE_CHECKING:
    from y import Z
    def cond(): pass
else:
    def cond():
        return 2

lam = lambda x: x
type Alias = int
try:
    import z
except ImportError:
    z = None

async def last(self):
    async with a as b, c: pass
    match x:
        case {"a": 1}: pass
    return [i for i in range(10) if i]
# end
