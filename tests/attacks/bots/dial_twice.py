"""Shows its ticket again, to sit on two chairs."""

import gc

import grpc

from arena.conversation import Conversation
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1.arena_pb2_grpc import ArenaServiceStub


def attack():
    (mine,) = [found for found in gc.get_objects() if isinstance(found, Conversation)]
    ticket = TARGETS["ticket"] or mine.hello().hello.token
    target = TARGETS["listener"] or "unix:/run/arena.sock"
    with grpc.insecure_channel(target) as channel:
        hello = pb.PlayRequest(hello=pb.Hello(token=ticket, game=GAME))
        for answer in ArenaServiceStub(channel).Play(iter([hello])):
            if answer.WhichOneof("message") == "welcome":
                return answer.welcome.bot
            raise PermissionError(answer.error.message)
