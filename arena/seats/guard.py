"""Has the rpcs beside Play go through the gate, too: each takes a place, and makes room when it is needed."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from arena.seats.gate import Full, Gate

Behaviour = Callable[[Any, grpc.aio.ServicerContext[Any, Any]], Any]


class Guard(grpc.aio.ServerInterceptor):
    """Counts every rpc of a server but those of one method, which counts its own.

    Args:
        gate: what it is counted at.
        but: the full name of that method.
    """

    def __init__(self, gate: Gate, but: str) -> None:
        self._gate = gate
        self._but = but

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """The rpc's own handler, behind the gate."""
        handler = await continuation(handler_call_details)
        if handler is None or handler_call_details.method == self._but:
            return handler
        make, behaviour = _taken_apart(handler)
        guarded: grpc.RpcMethodHandler[Any, Any] = make(
            self._guarded(behaviour),
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )
        return guarded

    def _guarded(self, behaviour: Behaviour) -> Behaviour:
        async def guarded(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            pushed: asyncio.Future[str] = asyncio.get_running_loop().create_future()

            def push(why: str) -> None:
                if not pushed.done():
                    pushed.set_result(why)

            try:
                entered = self._gate.enter(context.peer(), push)
            except Full as full:
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(full))
            entered.expect_nothing()
            working = asyncio.ensure_future(_answer(behaviour, request, context))
            try:
                await asyncio.wait({working, pushed}, return_when=asyncio.FIRST_COMPLETED)
                if not working.done():
                    await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, pushed.result())
                return working.result()
            finally:
                entered.leave()
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)

        return guarded


async def _answer(behaviour: Behaviour, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
    answer = behaviour(request, context)
    if not inspect.isasyncgen(answer):
        return await answer
    async for message in answer:
        await context.write(message)
    return None


def _taken_apart(handler: grpc.RpcMethodHandler[Any, Any]) -> tuple[Callable[..., Any], Behaviour]:
    """What makes a handler of this kind, and what this one does."""
    kinds: dict[tuple[bool, bool], tuple[Callable[..., Any], Any]] = {
        (False, False): (grpc.unary_unary_rpc_method_handler, handler.unary_unary),
        (False, True): (grpc.unary_stream_rpc_method_handler, handler.unary_stream),
        (True, False): (grpc.stream_unary_rpc_method_handler, handler.stream_unary),
        (True, True): (grpc.stream_stream_rpc_method_handler, handler.stream_stream),
    }
    make, behaviour = kinds[handler.request_streaming, handler.response_streaming]
    return make, behaviour
