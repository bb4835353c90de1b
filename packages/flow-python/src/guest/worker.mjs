// The outer realm of an interpreter. It creates the realm in which Pyodide runs, gives it a few functions,
// and removes all its other abilities before the author's code starts. Only strings, numbers and arrays of
// the inner realm cross the boundary; no object of this realm is ever passed in.
import { createContext, runInContext, Script } from 'node:vm'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'

const { asm, asmCache, files, input, limits, module, parts, realm, signal } = workerData
const port = parentPort
const { byteLength } = Buffer
const { load, wait } = Atomics
const { min } = Math
const Bytes = Uint8Array
const decoder = new TextDecoder()
const encoder = new TextEncoder()
const setBytes = uncurry(Uint8Array.prototype.set)
const fillRandom = globalThis.crypto.getRandomValues.bind(globalThis.crypto)
const ticks = globalThis.performance.now.bind(globalThis.performance)
const waiting = new Int32Array(signal)
const never = new Int32Array(new SharedArrayBuffer(4))

/** Bytes waiting to be read by the inner realm. */
let pending = hold(input)
let sent = { messages: 0, bytes: 0 }
/** The host's clock when the job began, and the tick count at that moment. */
let clock = { at: 0, ticks: 0 }
/** Maximum number of random bytes that the platform returns per call. */
const RANDOM_PART = 65_536
/** Size of a memory page in bytes. The snapshot and its parts are multiples of it. */
const PAGE = 4096
/** Random bytes from the host, used before those of the platform. */
let given = new Bytes(0)

const abilities = {
  ticks: () => ticks(),
  now: () => clock.at + ticks() - clock.ticks,
  /** Calls no method of the inner realm's array, because its code may have replaced them. */
  random(bytes) {
    const { length } = bytes
    const count = min(length, given.length)
    setBytes(bytes, given.subarray(0, count))
    given = given.subarray(count)
    for (let at = count; at < length; at += RANDOM_PART) {
      const part = new Bytes(min(RANDOM_PART, length - at))
      fillRandom(part)
      setBytes(bytes, part, at)
    }
  },
  decode: (bytes) => decoder.decode(bytes),
  byteLength: (text) => byteLength(text),
  encodeInto: (text, bytes) => encoder.encodeInto(text, bytes).written,
  /**
   * Sends a message to the host and waits for the answer if it is a question. Returns -1 if there are too
   * many.
   */
  exchange(text) {
    if (text[0] === 'r') {
      port.postMessage(byteLength(text) > limits.outputBytes ? 'x' : text)
      return 0
    }
    sent.messages += 1
    sent.bytes += text.length
    if (sent.messages > limits.messages || sent.bytes > limits.messageBytes) return -1
    const before = load(waiting, 0)
    port.postMessage(text)
    if (text[0] !== 'c') return 0
    for (;;) {
      const received = receiveMessageOnPort(port)
      if (received !== undefined) {
        pending = hold(received.message)
        return 0
      }
      wait(waiting, 0, before, 1000)
    }
  },
  /** Copies pending bytes to an array of the inner realm; returns their number. */
  take(bytes) {
    const count = min(bytes.length, pending.length)
    setBytes(bytes, pending.subarray(0, count))
    pending = pending.subarray(count)
    return count
  },
  fileLength: (name) => files[name]?.length ?? -1,
  fileRead: (name, bytes) => setBytes(bytes, files[name]),
  /**
   * Pages that are empty in the snapshot are cleared only if they are dirty: untouched pages use no memory.
   */
  restore(bytes) {
    const { snapshot } = files
    let at = 0
    for (const [from, to] of parts) {
      clear(bytes, at, from)
      setBytes(bytes, snapshot.subarray(from, to), from)
      at = to
    }
    clear(bytes, at, snapshot.length)
  },
  sleep: (milliseconds) => void wait(never, 0, 0, milliseconds),
}

function clear(bytes, from, to) {
  for (let page = from; page < to; page += PAGE) {
    const words = new Uint32Array(bytes.buffer, page, PAGE / 4)
    if (words.some((word) => word !== 0)) words.fill(0)
  }
}

function hold(text) {
  return encoder.encode(typeof text === 'string' ? text : '')
}

function uncurry(method) {
  return Function.prototype.call.bind(method)
}

// Strings cannot be compiled to code in the inner realm.
const context = createContext(Object.create(null), {
  codeGeneration: { strings: false, wasm: true },
})
const script = new Script(asm, { filename: 'interpreter', cachedData: asmCache })
const start = runInContext(realm, context, { filename: 'realm' })(abilities)
const interpreter = await start(script.runInContext(context), module, limits.make)

disarm()

if (limits.make) {
  const memory = new Bytes(interpreter.length)
  setBytes(memory, interpreter)
  port.postMessage({ memory, code: script.createCachedData() })
} else {
  port.on('message', ({ job, now, random }) => {
    sent = { messages: 0, bytes: 0 }
    clock = { at: now, ticks: ticks() }
    given = random
    pending = hold(job)
    port.postMessage(interpreter('main'))
  })
  port.postMessage('ready')
}

/** Removes everything of value to an attacker: process, loader, code generation from strings. */
function disarm() {
  const { defineProperty, getPrototypeOf } = Object
  const { deleteProperty, ownKeys } = Reflect
  const all = globalThis
  for (const name of ownKeys(all)) {
    deleteProperty(all, name)
  }
  const makers = [function () {}, async function () {}, function* () {}, async function* () {}]
  for (const maker of makers)
    defineProperty(getPrototypeOf(maker), 'constructor', { value: undefined })
}
