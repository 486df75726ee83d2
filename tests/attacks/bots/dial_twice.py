"""Shows its ticket again, to sit on two chairs."""

import gc
import threading

import grpc

from arena.conversation import Conversation
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1.arena_pb2_grpc import ArenaServiceStub


def attack():
    (mine,) = [found for found in gc.get_objects() if isinstance(found, Conversation)]
    ticket = TARGETS["ticket"] or mine.hello().hello.token
    target = TARGETS["listener"] or "unix:/run/arena.sock"
    answered = threading.Event()

    def requests():
        yield pb.PlayRequest(hello=pb.Hello(token=ticket, game=GAME))
        answered.wait(10)

    with grpc.insecure_channel(target) as channel:
        answer = next(ArenaServiceStub(channel).Play(requests()))
        answered.set()
    if answer.WhichOneof("message") != "welcome":
        raise PermissionError(answer.error.message)
    return answer.welcome.bot
