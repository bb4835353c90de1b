"""Replace what the sandbox does not support with errors that say so."""

import _imp
import asyncio
import builtins
import importlib.machinery
import os
import socket
import subprocess
import sys
import threading
import time
from importlib.abc import MetaPathFinder

from _flow import channel

NO_PROCESSES = "processes are not allowed here"
NO_NETWORK = "network access is not allowed; use requests, httpx or urllib"


def _no_process(*_args, **_kwargs):
    raise PermissionError(NO_PROCESSES)


def _no_network(*_args, **_kwargs):
    raise OSError(NO_NETWORK)


def seal(forbidden):
    _forbid(frozenset(forbidden))
    _end_processes()
    _end_sockets()
    _run_threads_at_once()
    time.sleep = _sleep


def _sleep(seconds, /):
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    channel.sleep(seconds)


def _forbid(names):
    class Forbidden(MetaPathFinder):
        """Hide modules that escape the interpreter."""

        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in names:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return None

    sys.meta_path.insert(0, Forbidden())
    sys.builtin_module_names = tuple(n for n in sys.builtin_module_names if n not in names)
    create = _imp.create_builtin

    def create_builtin(spec):
        if spec.name in names:
            raise ImportError(f"No module named {spec.name!r}", name=spec.name)
        return create(spec)

    _imp.create_builtin = create_builtin


def _end_processes():
    for name in (
        "system popen fork forkpty execv execve execl execle execlp execlpe execvp execvpe "
        "spawnv spawnve spawnl spawnle spawnvp spawnvpe spawnlp spawnlpe posix_spawn posix_spawnp kill killpg"
    ).split():
        setattr(os, name, _no_process)
        if name in sys.modules["posix"].__dict__:
            setattr(sys.modules["posix"], name, _no_process)
    for name in ("run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"):
        setattr(subprocess, name, _no_process)
    subprocess.Popen.__init__ = _no_process
    subprocess.Popen.__del__ = lambda self: None
    import multiprocessing

    for name in ("Process", "Pool", "Manager", "Queue", "Pipe", "Value", "Array", "Lock"):
        setattr(multiprocessing, name, _no_process)


def _end_sockets():
    for name in (
        "getaddrinfo gethostbyname gethostbyname_ex gethostbyaddr getnameinfo create_connection create_server"
    ).split():
        setattr(socket, name, _no_network)
        if hasattr(sys.modules["_socket"], name):
            setattr(sys.modules["_socket"], name, _no_network)
    for name in ("connect", "connect_ex", "bind", "listen", "sendto"):
        setattr(socket.socket, name, _no_network)


def _run_threads_at_once():
    def start(self):
        if self._started.is_set():
            raise RuntimeError("threads can only be started once")
        self._started.set()
        try:
            self.run()
        except BaseException:
            threading.excepthook(threading.ExceptHookArgs([*sys.exc_info(), self]))
        self._finished_here = True

    threading.Thread.start = start
    threading.Thread.join = lambda self, timeout=None: None
    threading.Thread.is_alive = lambda self: False

    import concurrent.futures as futures

    class Executor(futures.Executor):
        """Run submitted work immediately."""

        def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
            if initializer is not None:
                initializer(*initargs)

        def submit(self, fn, /, *args, **kwargs):
            future = futures.Future()
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)
            return future

    import concurrent.futures.thread

    futures.thread.ThreadPoolExecutor = Executor
    futures.ThreadPoolExecutor = Executor

    async def to_thread(func, /, *args, **kwargs):
        return func(*args, **kwargs)

    asyncio.to_thread = to_thread
    asyncio.threads.to_thread = to_thread
