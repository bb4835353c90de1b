"""An event loop without a selector: the host's answers are the only external events, and they are
synchronous."""

import asyncio

from _flow import channel


class _Nothing:
    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("the code waits for something that never comes")
        if timeout > 0:
            channel.sleep(timeout)
        return []

    def close(self):
        pass


class Loop(asyncio.base_events.BaseEventLoop):
    """Supports timers, tasks and futures; no sockets, signals or threads."""

    def __init__(self):
        super().__init__()
        self._selector = _Nothing()

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass

    def run_in_executor(self, executor, func, *args):
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


class _Policy(asyncio.events._AbstractEventLoopPolicy):
    _loop = None

    def get_event_loop(self):
        if self._loop is None:
            self._loop = Loop()
        return self._loop

    def set_event_loop(self, loop):
        self._loop = loop

    def new_event_loop(self):
        return Loop()


def install():
    asyncio.events._event_loop_policy = _Policy()
    asyncio.new_event_loop = Loop
    asyncio.events.new_event_loop = Loop
    asyncio.runners.events.new_event_loop = Loop


def run(awaitable):
    """Run a coroutine from synchronous code and return its result."""

    async def main():
        return await awaitable

    running = asyncio.events._get_running_loop()
    loop = Loop()
    asyncio.events._set_running_loop(None)
    try:
        return loop.run_until_complete(main())
    finally:
        loop.close()
        asyncio.events._set_running_loop(running)
