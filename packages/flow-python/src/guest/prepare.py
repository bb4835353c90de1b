# Runs once before the memory snapshot is taken; loads the library and commonly used modules.
def _prepare():
    import json
    import sys
    import types
    from importlib.abc import Loader, MetaPathFinder
    from importlib.machinery import ModuleSpec

    with open("/dev/host", "rb", buffering=0) as channel:
        parts = []
        while part := channel.read(1 << 20):
            parts.append(part)
    given = json.loads(b"".join(parts))
    sources = given["library"]

    class Library(MetaPathFinder, Loader):
        """Find library modules, whose source is held in memory."""

        def find_spec(self, name, path=None, target=None):
            stem = name.replace(".", "/")
            for file, is_package in ((stem + "/__init__.py", True), (stem + ".py", False)):
                if file in sources:
                    return ModuleSpec(name, self, origin=file, is_package=is_package)
            return None

        def exec_module(self, module):
            text = sources[module.__spec__.origin]
            code = compile(text, f"<{module.__name__}>", "exec", dont_inherit=True)
            exec(code, module.__dict__)

    sys.meta_path.insert(2, Library())
    for name in given["preload"]:
        __import__(name)

    from _flow import names, offered, opened, sealed

    names.install()
    offered.install(given["offered"], sources)
    opened.install()
    sealed.seal(given["forbidden"])
    del sys.modules["__main__"].__dict__["_prepare"]
    for name in list(sys.modules):
        if name.partition(".")[0] in given["forbidden"]:
            del sys.modules[name]
    import gc

    sys.stdin = types.SimpleNamespace(read=lambda *_: "", readline=lambda *_: "", fileno=lambda: 0)
    gc.collect()


_prepare()
