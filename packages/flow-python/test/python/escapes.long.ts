// Runs each night (.ci/night).
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, test } from 'vitest'
import { createImage } from '../../src/image.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, testRunner } from './python-runs.ts'

const runner = testRunner({ environment: { GREETING: 'hi' } })

describe('isolation of Python code', () => {
  test.each([
    'js',
    'pyodide',
    'pyodide_js',
    '_pyodide',
    '_pyodide_core',
    'pyodide.http',
    'ctypes',
    '_ctypes',
    'micropip',
    '_testcapi',
  ])('PY-5: the module %s is not available', async (name) => {
    const text = `No module named '${name.split('.')[0]}'`
    await expect(run(runner, `import ${name}`)).rejects.toThrow(text)
  })

  test('PY-5: a removed built-in module cannot be restored through the import machinery', async () => {
    const body = `import _imp, importlib.machinery, sys
found = []
for cell in _imp.create_builtin.__closure__:
    create = cell.cell_contents
    if callable(create):
        for name in ("_ctypes", "_pyodide_core", "_testcapi", "_testinternalcapi", "_posixsubprocess"):
            try:
                if create(importlib.machinery.ModuleSpec(name, None)) is not None: found.append(name)
            except BaseException: pass
for finder in sys.meta_path:
    for name in ("_ctypes", "_pyodide_core", "js"):
        try:
            spec = finder.find_spec(name)
            if spec is not None and spec.loader.create_module(spec) is not None: found.append(name)
        except BaseException: pass
return found`
    expect(await run(runner, body)).toEqual([])
  })

  test('PY-5: no object of JavaScript is reachable', async () => {
    const body = `import gc, sys
def of_javascript(value):
    names = [one.__name__ for one in type(value).__mro__]
    return any(name.startswith("Js") or "JsProxy" in name for name in names)
found = [type(value).__name__ for value in gc.get_objects() if of_javascript(value)]
for module in list(sys.modules.values()):
    found += [name for name, value in list(vars(module).items()) if of_javascript(value)]
frame = sys._getframe()
while frame is not None:
    found += [name for name, value in {**frame.f_globals, **frame.f_locals}.items() if of_javascript(value)]
    frame = frame.f_back
def below(kind, seen=set()):
    for one in type.__subclasses__(kind):
        if one not in seen:
            seen.add(one)
            yield one
            yield from below(one)
found += [one.__name__ for one in below(object) if one.__name__.startswith("Js") and one.__module__ != "json"]
import asyncio
found += [type(asyncio.new_event_loop()).__name__] if "Web" in type(asyncio.new_event_loop()).__name__ else []
return [name for name in found if not name.upper().startswith("JSON")]`
    expect(await run(runner, body)).toEqual([])
  })

  test('PY-7: host files are not visible, and /tmp and the home folder are empty', async () => {
    await expect(run(runner, 'open("/etc/passwd")')).rejects.toThrow('No such file or directory')
    const path = JSON.stringify(import.meta.filename)
    await expect(run(runner, `open(${path})`)).rejects.toThrow('No such file or directory')
    const body =
      'import os\nreturn [os.listdir("/tmp"), os.listdir(os.path.expanduser("~")), sorted(os.listdir("/"))]'
    expect(await run(runner, body)).toEqual([[], [], ['dev', 'home', 'lib', 'proc', 'tmp']])
  })

  test('PY-7: files are limited to 64 MB, in one file or in many', async () => {
    const one = 'with open("/tmp/a", "wb") as f:\n    for _ in range(80): f.write(b"x" * 1_000_000)'
    await expect(run(runner, one)).rejects.toThrow('No space left')
    const many =
      'for n in range(80):\n    with open(f"/tmp/{n}", "wb") as f: f.write(b"x" * 1_000_000)'
    await expect(run(runner, many)).rejects.toThrow('No space left')
    const again =
      'for n in range(80):\n    with open("/tmp/a", "wb") as f: f.write(b"x" * 1_000_000)\nreturn "ok"'
    expect(await run(runner, again)).toBe('ok')
  })

  test('PY-8: sockets and processes fail with an error that says why', async () => {
    const no = 'network access is not allowed; use requests, httpx or urllib'
    await expect(
      run(runner, 'import socket\nsocket.create_connection(("127.0.0.1", 80))'),
    ).rejects.toThrow(no)
    await expect(
      run(runner, 'import socket\nsocket.socket().connect(("127.0.0.1", 80))'),
    ).rejects.toThrow(no)
    await expect(run(runner, 'import socket\nsocket.gethostbyname("localhost")')).rejects.toThrow(
      no,
    )
    const never = 'processes are not allowed here'
    await expect(run(runner, 'import subprocess\nsubprocess.run(["ls"])')).rejects.toThrow(never)
    await expect(run(runner, 'import os\nos.system("ls")')).rejects.toThrow(never)
    await expect(run(runner, 'import os\nos.fork()')).rejects.toThrow(never)
    await expect(
      run(runner, 'import multiprocessing\nmultiprocessing.Process(target=print).start()'),
    ).rejects.toThrow(never)
  })

  test('PY-8: threads run their work immediately', async () => {
    const body = `import threading, asyncio
from concurrent.futures import ThreadPoolExecutor
made = []
thread = threading.Thread(target=made.append, args=(1,))
thread.start()
thread.join()
with ThreadPoolExecutor(max_workers=4) as pool:
    made += pool.map(lambda n: n * 2, [1, 2])
    made.append(pool.submit(lambda: 9).result())
made.append(asyncio.run(asyncio.to_thread(lambda: 7)))
return made`
    expect(await run(runner, body)).toEqual([1, 2, 4, 9, 7])
  })

  test('PY-9: the environment contains five names and the variables of the operator', async () => {
    expect(await run(runner, 'import os\nreturn dict(os.environ)')).toEqual({
      GREETING: 'hi',
      HOME: '/home/user',
      LANG: 'C.UTF-8',
      PATH: '/usr/bin',
      TMPDIR: '/tmp',
      TZ: 'UTC',
    })
  })

  test('PY-10: there is no network access without a host fetch', async () => {
    await expect(
      run(runner, 'import requests\nrequests.get("http://example.com")'),
    ).rejects.toThrow('network access is not allowed here')
  })
})

describe('isolation between calls', () => {
  test.each([
    ['builtins', 'import builtins\nbuiltins.len = lambda x: 42', 'return len([1])', 1],
    [
      'modules',
      'import json\njson.dumps = lambda x: "mine"',
      'import json\nreturn json.dumps(1)',
      '1',
    ],
    [
      'classes',
      'Message.text = "mine"\nComponent.left = 1',
      'return [Message(text="a").text, hasattr(Component, "left")]',
      ['a', false],
    ],
    ['files', 'open("/tmp/left", "w").write("x")', 'import os\nreturn os.listdir("/tmp")', []],
    [
      'the environment',
      'import os\nos.environ["LEFT"] = "x"',
      'import os\nreturn os.environ.get("LEFT")',
      null,
    ],
    [
      'numbers',
      'import decimal\ndecimal.getcontext().prec = 3',
      'import decimal\nreturn decimal.getcontext().prec',
      28,
    ],
    [
      'signal handlers',
      'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)',
      'import signal\nreturn signal.getsignal(signal.SIGINT) == signal.SIG_IGN',
      false,
    ],
    [
      'the module search path',
      'import sys\nsys.path.append("/tmp")\nsys.modules["left"] = sys',
      'import sys\nreturn ["/tmp" in sys.path, "left" in sys.modules]',
      [false, false],
    ],
  ])('PY-6: %s: the next call does not see the changes', async (_what, change, look, expected) => {
    const both = await Promise.all([run(runner, change), run(runner, look)])
    expect(both[1]).toEqual(expected)
    expect(await run(runner, look)).toEqual(expected)
  })
})

describe('isolation of the JavaScript realm', () => {
  const image = createImage({
    memoryMb: 128,
    outputBytes: 1 << 20,
    modules: {},
    wheels: {},
    cacheDir: join(tmpdir(), 'x-flow-python'),
  })
  const workers: Worker[] = []
  afterAll(() => Promise.all(workers.map((worker) => worker.terminate())))

  /** Runs JavaScript in the realm of the interpreter, as if the inner wall had fallen. */
  async function breakOut(attack: string): Promise<unknown> {
    const { worker: path, start } = await image
    const realm = `(abilities) => {
      const prepare = (${start.realm.replace(/^[^]*?;\(abilities\)/, '(abilities)').trimEnd()})
      const begin = prepare(abilities)
      return async (...given) => {
        await begin(...given)
        return () => {
          const attack = () => { ${attack} }
          let found
          try { found = attack() } catch (error) { found = 'threw ' + error.name }
          abilities.exchange('r' + JSON.stringify({ found: String(found) }))
          return true
        }
      }
    }`
    const workerData = { ...start, realm, signal: new SharedArrayBuffer(4) }
    const worker = new Worker(path, {
      env: {},
      execArgv: [],
      workerData,
      stdout: true,
      stderr: true,
    })
    workers.push(worker)
    return new Promise((resolve, reject) => {
      worker.on('error', reject)
      worker.on('message', (message: unknown) => {
        if (message === 'ready') worker.postMessage({ job: '{}', now: 0 }, [])
        else if (typeof message === 'string' && message[0] === 'r') {
          resolve((JSON.parse(message.slice(1)) as { found: unknown }).found)
        }
      })
    })
  }

  test.each([
    ['process', 'return typeof process', 'undefined'],
    ['require', 'return typeof require', 'undefined'],
    ['fetch', 'return typeof fetch', 'undefined'],
    ['Buffer', 'return typeof Buffer', 'undefined'],
    ['a function created from a string', 'return Function("return 1")()', 'threw EvalError'],
    ['eval', 'return eval("1")', 'threw EvalError'],
    [
      'a generator created from a string',
      'return (function* () {}).constructor("yield 1")',
      'threw EvalError',
    ],
    [
      'a function of the outer realm',
      'return performance.now.constructor.constructor("return 1")()',
      'threw EvalError',
    ],
    [
      'the frames of an error',
      'Error.prepareStackTrace = (_, sites) => sites.map((site) => typeof site.getThis() + typeof site.getFunction()).filter((one) => /object|function/.test(one) && !/^undefined/.test(one)).join(); return "sites " + crypto.getRandomValues(5) + new Error().stack',
      'threw Error',
    ],
    [
      'an error of the outer realm',
      'try { crypto.getRandomValues(5) } catch (error) { return error instanceof Error && error.constructor === Error }',
      'true',
    ],
    ['a thread', 'return typeof Worker + typeof SharedWorker', 'undefinedundefined'],
  ])('PY-5: code in the realm cannot reach %s', async (_what, attack, expected) => {
    expect(await breakOut(attack)).toBe(expected)
  })

  test('PY-5: code in the realm cannot import Node modules', async () => {
    const { start } = await image
    expect(start.realm).not.toMatch(/\bimport\(/)
    const found = await breakOut(
      'let seen = "pending"; const asked = import("node:fs"); asked.then(() => { seen = "loaded" }, () => { seen = "refused" }); return Object.prototype.toString.call(asked)',
    )
    expect(found).toMatch(/Promise|threw/)
  })

  test('PY-5: objects of the outer realm give no access to function constructors', async () => {
    // The functions of the outer realm are never handed over; here the test hands one over.
    const found = await breakOut(`
      const outer = abilities.exchange
      const made = outer.constructor
      const generator = Object.getPrototypeOf(outer).constructor
      return [typeof made, typeof generator].join()`)
    expect(found).toBe('undefined,undefined')
  })

  test('PY-12: memory cannot grow beyond the limit', async () => {
    const { start } = await image
    expect(start.limits.make).toBe(false)
    const text = readFileSync((await image).worker, 'utf8')
    expect(text).toContain('strings: false')
  })
})
