"""How much a client may send, how long an answer may take, and how requests share the machine."""

from dataclasses import dataclass

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Bounds of the service. What goes beyond one of them is answered with a problem that names it.

    Attributes:
        body: Bytes of the body of a request, of a stream too.
        bodies: Bytes of all bodies that are being read at one time.
        pairs: Pairs of hypothesis and reference in one request.
        streamed: Pairs in one stream.
        explained: Pairs of one request that are explained.
        line: Characters of a segment.
        resamples: Of a bootstrap.
        waiting: Pairs of all requests that wait for a thread at one time.
        patience: Seconds until a request has to be answered, with its body read.
        streaming: The same of a stream.
        reading: Seconds until the head of a request is there, and until its body is.
        gathering: Seconds that pairs wait for those of other requests.
        connections: Connections at one time.
        training: Seconds that a training may take.
        memory: Bytes that the processes of a training may hold, where the system tells (Linux).
    """

    body: int = 16 * MEGABYTE
    bodies: int = 256 * MEGABYTE
    pairs: int = 10_000
    streamed: int = 1_000_000
    explained: int = 200
    line: int = 4_000
    resamples: int = 10_000
    waiting: int = 200_000
    patience: float = 60.0
    streaming: float = 3600.0
    reading: float = 20.0
    gathering: float = 0.002
    connections: int = 512
    training: float = 3600.0
    memory: int = 4096 * MEGABYTE
