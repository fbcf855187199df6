"""Work for a clock: what an interpreter spends its time with, and some of its extension modules."""
import bisect, hashlib, heapq, json, math, random, re, struct, zlib


def queens(n):
    def place(row, cols, down, up):
        if row == n:
            return 1
        return sum(place(row + 1, cols | {c}, down | {row + c}, up | {row - c})
                   for c in range(n) if c not in cols and row + c not in down and row - c not in up)
    return place(0, frozenset(), frozenset(), frozenset())


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        node = self
        while True:
            side = "left" if key < node.key else "right"
            child = getattr(node, side)
            if child is None:
                setattr(node, side, Node(key))
                return
            node = child

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.key
        if self.right:
            yield from self.right


def tree(n):
    r = random.Random(1)
    root = Node(0.5)
    for _ in range(n):
        root.insert(r.random())
    return sum(1 for a, b in zip(root, list(root)[1:]) if a <= b)


def texts(n):
    r = random.Random(2)
    rows = [{"id": i, "name": "n%d" % (i % 97), "list": [r.randrange(100) for _ in range(5)]} for i in range(n)]
    text = json.dumps(rows)
    packed = zlib.compress(text.encode(), 6)
    found = re.findall(r'"name": "(n[0-9]*7)"', zlib.decompress(packed).decode())
    return len(json.loads(text)), len(found), hashlib.sha256(packed).hexdigest()[:8]


def numbers(n):
    heap, ordered = [], []
    r = random.Random(3)
    for _ in range(n):
        x = r.random()
        heapq.heappush(heap, x)
        bisect.insort(ordered, x)
    assert [heapq.heappop(heap) for _ in range(n)] == ordered
    return len(struct.pack("<%dd" % n, *ordered)), math.factorial(1500) % 1000003


def caught(n):
    s = 0
    for i in range(n):
        try:
            s += {0: 1}[i % 3]
        except KeyError as e:
            s += e.args[0]
    return s


print(queens(7), tree(20000), texts(10000), numbers(20000), caught(300000))
