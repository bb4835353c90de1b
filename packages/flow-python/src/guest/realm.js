// The inner realm. It starts the interpreter without any host objects. Code that breaks out of the
// interpreter ends up here, where there is no process, no loader, no network and no code generation from
// strings.
'use strict'
;(abilities) => {
  const HOME = '/home/user'
  const DISK = 64 * 1024 * 1024

  /** Calls a host function. Its errors are replaced, so that no object of the other realm leaks in. */
  const guarded = (ability) => (first, second) => {
    try {
      return ability(first, second)
    } catch {
      throw new Error('refused')
    }
  }
  const give = Object.freeze(
    Object.fromEntries(Object.keys(abilities).map((name) => [name, guarded(abilities[name])])),
  )

  // The minimal platform that the interpreter's loader expects.
  const silent = () => undefined
  globalThis.console = { log: silent, warn: silent, error: silent, info: silent, debug: silent }
  globalThis.performance = { now: () => give.ticks(), timeOrigin: 0 }
  Object.assign(Date, { now: () => give.now() })
  globalThis.crypto = {
    getRandomValues(bytes) {
      give.random(bytes)
      return bytes
    },
  }
  globalThis.TextDecoder = class TextDecoder {
    decode(bytes) {
      return bytes === undefined ? '' : give.decode(bytes)
    }
  }
  globalThis.TextEncoder = class TextEncoder {
    encode(text) {
      const bytes = new Uint8Array(give.byteLength(text))
      give.encodeInto(text, bytes)
      return bytes
    }
    encodeInto(text, bytes) {
      return { written: give.encodeInto(text, bytes), read: text.length }
    }
  }
  globalThis.AbortController = function AbortController() {}
  globalThis.URL = function URL() {}
  globalThis.location = { href: '', toString: () => '' }
  globalThis.setTimeout = () => 0
  globalThis.clearTimeout = silent

  const file = (name) => {
    const length = give.fileLength(name)
    if (length < 0) throw new Error(`missing ${name}`)
    const bytes = new Uint8Array(length)
    give.fileRead(name, bytes)
    return bytes
  }

  const prepareFiles = (python) => {
    const { FS, ENV } = python
    FS.mkdirTree(HOME)
    FS.chdir(HOME)
    for (const name of Object.keys(ENV)) delete ENV[name]
    Object.assign(ENV, {
      HOME,
      PATH: '/usr/bin',
      LANG: 'C.UTF-8',
      TMPDIR: '/tmp',
      TZ: 'UTC',
      PYTHONHASHSEED: '0',
      NO_COLOR: '1',
      PYTHONINSPECT: '1',
    })
    FS.mkdirTree('/lib/python3.14/site-packages')
    FS.mkdirTree('/lib/python3.14/lib-dynload')
    FS.writeFile('/lib/python314.zip', file('stdlib'), { canOwn: true })
    limitDisk(FS)
    openChannel(FS)
  }

  /** Files are in memory, so their total size is limited. */
  const limitDisk = (FS) => {
    const memory = FS.filesystems.MEMFS
    const write = FS.write.bind(FS)
    const resize = memory.resizeFileStorage.bind(memory)
    const sizeOf = (node) =>
      FS.isDir(node.mode)
        ? Object.values(node.contents).reduce((sum, child) => sum + sizeOf(child), 0)
        : (node.usedBytes ?? 0)
    const sizes = new WeakMap()
    let base
    let used = 0
    // Removed files are accounted for only when the limit is reached, because scanning all files is slow.
    const claim = (node, size) => {
      const wanted = size - (sizes.get(node) ?? node.usedBytes ?? 0)
      if (wanted <= 0) return
      base ??= sizeOf(FS.root)
      if (used + wanted > DISK) used = sizeOf(FS.root) - base
      if (used + wanted > DISK) throw new FS.ErrnoError(51)
      used += wanted
      sizes.set(node, size)
    }
    FS.write = (stream, buffer, offset, length, position, canOwn) => {
      const { node } = stream
      if (FS.isFile(node.mode)) claim(node, (position ?? stream.position) + length)
      return write(stream, buffer, offset, length, position, canOwn)
    }
    memory.resizeFileStorage = (node, size) => {
      claim(node, size)
      resize(node, size)
    }
  }

  /** The only way out: a device that receives a message by a write and returns the answer by reads. */
  const openChannel = (FS) => {
    const device = FS.makedev(64, 0)
    FS.registerDevice(device, {
      write(_stream, heap, offset, length) {
        const bytes = new Uint8Array(heap.buffer, heap.byteOffset + offset, length)
        const text = give.decode(bytes.slice())
        if (text[0] === 'z') {
          give.sleep(Number(text.slice(1)))
          return length
        }
        if (give.exchange(text) < 0) throw new FS.ErrnoError(51)
        return length
      },
      read(_stream, heap, offset, length) {
        const bytes = new Uint8Array(length)
        const count = give.take(bytes)
        heap.set(bytes.subarray(0, count), offset)
        return count
      },
    })
    FS.mkdev('/dev/host', 0o666, device)
  }

  /** Hides built-in modules that escape the sandbox from the interpreter's module table. */
  const forget = (python) => {
    const names =
      /^_?(pyodide_core|ctypes|testcapi|testinternalcapi|testlimitedcapi|testbuffer|xxtestfuzz|remote_debugging|posixsubprocess)$/
    const { HEAPU8, HEAPU32 } = python
    let entry = HEAPU32[python._PyImport_Inittab >>> 2] >>> 2
    for (; HEAPU32[entry] !== 0; entry += 2) {
      let name = ''
      for (let at = HEAPU32[entry]; HEAPU8[at] !== 0; at += 1)
        name += String.fromCharCode(HEAPU8[at])
      if (names.test(name)) HEAPU8[HEAPU32[entry]] = 33
    }
  }

  return async (create, module, make) => {
    Object.setPrototypeOf(module, WebAssembly.Module.prototype)
    const noError = Symbol('none')
    const { instantiate } = WebAssembly
    const grown = async (...given) => {
      const instance = await instantiate(...given)
      const { memory } = instance.exports
      // The snapshot's memory may be larger than that of a new instance.
      const missing = give.fileLength('snapshot') - memory.buffer.byteLength
      if (missing > 0) memory.grow(Math.ceil(missing / 65_536))
      const grow = memory.grow.bind(memory)
      memory.grow = (pages) => {
        full = true
        const before = grow(pages)
        full = false
        return before
      }
      return instance
    }
    const said = []
    /** The last attempt to grow the memory failed. */
    let full = false
    const settings = {
      noImageDecoding: true,
      noAudioDecoding: true,
      noInitialRun: !make,
      API: {
        config: { jsglobals: Object.create(null), env: {} },
        runtimeEnv: {},
        // Never resolves: packages cannot be installed from the network.
        lockFilePromise: new Promise(silent),
      },
      print: silent,
      printErr: make ? (line) => said.push(line) : silent,
      thisProgram: '/usr/bin/python',
      arguments: [],
      locateFile: (path) => path,
      preRun: [prepareFiles],
      instantiateWasm(imports, receive) {
        imports.env.Jsv_GetError_import = () => noError
        imports.env.JsvError_Check = (value) => value === noError
        grown(module, imports).then((instance) => receive(instance, module), silent)
        return {}
      },
    }
    const python = await create(settings)
    const execute = (name) => {
      const source = file(name)
      const start = python._malloc(source.length + 1)
      python.HEAPU8.set(source, start)
      python.HEAPU8[start + source.length] = 0
      return python._PyRun_SimpleString(start) === 0
    }
    if (make) {
      if (!execute('prepare'))
        throw new Error(['cannot prepare the interpreter', ...said].join('\n'))
      forget(python)
      return python.HEAPU8
    }
    give.restore(python.HEAPU8)
    return (name) => {
      try {
        return execute(name) ? 'e' : 'f'
      } catch {
        // Some parts of the interpreter crash when memory cannot grow.
        return full ? 'm' : 'f'
      }
    }
  }
}
