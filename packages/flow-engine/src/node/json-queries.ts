import { Worker } from 'node:worker_threads'
import { createSystemRuntime, type Runtime } from '@x/wire'
import {
  OUT_OF_MEMORY,
  queryArgument,
  readQueryResult,
} from '../components/built-in/processing/json-query.ts'
import type { JsonQueries } from '../components/define/services.ts'
import { refuse } from '../services/refusal.ts'
import { createUserTurns } from './user-turns.ts'

export interface JsonQueriesOptions {
  /** Milliseconds that an expression may run; default 5,000. */
  readonly timeoutMs?: number
  /** Expressions at once, a thread for each; default 2. One user has one fewer, at least 1. */
  readonly workers?: number
  /** Expressions of one user that wait; default 20. One more is refused. */
  readonly waitingPerUser?: number
  /** Bytes that an expression may take; default 256 MiB. */
  readonly memoryBytes?: number
  readonly runtime?: Runtime
}

export interface WorkerJsonQueries extends JsonQueries {
  /** Ends the workers; a later query starts new ones. */
  close(): Promise<void>
}

/**
 * Runs jq expressions in worker threads, so that one which never ends is ended without harm to the
 * rest of the process. Each user has a queue of its own and the queues take turns (AB-32). Workers
 * start with the first queries and do not keep the process alive.
 */
export function createJsonQueries(options: JsonQueriesOptions = {}): WorkerJsonQueries {
  const { timeoutMs = 5_000, workers: places = 2, waitingPerUser = 20 } = options
  const { memoryBytes = 256 * 1024 * 1024, runtime = createSystemRuntime() } = options
  const workers = new Set<Worker>()
  const idle: Worker[] = []
  const turns = createUserTurns({
    concurrency: places,
    perUser: Math.max(1, places - 1),
    waitingPerUser,
    tooMany: () => refuse(429, 'Too many expressions are running'),
  })

  async function stop(stopped: Worker): Promise<void> {
    workers.delete(stopped)
    await stopped.terminate()
  }
  function takeWorker(): Worker {
    let worker = idle.pop()
    while (worker !== undefined && !workers.has(worker)) worker = idle.pop()
    if (worker !== undefined) return worker
    const started = startWorker(memoryBytes)
    workers.add(started)
    return started
  }

  async function run(request: WorkerRequest, signal: AbortSignal): Promise<unknown[]> {
    signal.throwIfAborted()
    const current = takeWorker()
    const end = new AbortController()
    const limit = runtime.sleep(timeoutMs, end.signal)
    try {
      const { result } = await ask(current, request, { signal, limit, end: end.signal })
      if (result !== undefined) {
        idle.push(current)
        return readQueryResult(result)
      }
    } catch (error) {
      if (!(error instanceof EndedError)) throw error
      await stop(current)
      signal.throwIfAborted()
      throw new TypeError(`the expression ran for more than ${timeoutMs} ms`, { cause: error })
    } finally {
      end.abort()
      current.unref()
    }
    await stop(current)
    throw new TypeError(OUT_OF_MEMORY)
  }

  return {
    query: (expression, input, { signal, userId = '' }) =>
      turns(userId, signal, () =>
        run({ query: queryArgument(expression), input: JSON.stringify(input) }, signal),
      ),
    async close() {
      await Promise.all([...workers].map(stop))
    },
  }
}

interface WorkerRequest {
  readonly query: string
  readonly input: string
}

interface WorkerAnswer {
  /** Absent when the expression filled the memory. */
  readonly result?: Parameters<typeof readQueryResult>[0]
}

/** The worker has to be ended: the time is up, or nobody waits any more. */
class EndedError extends Error {}

interface Ends {
  readonly signal: AbortSignal
  readonly limit: Promise<void>
  readonly end: AbortSignal
}

/** Resolves without a result when the worker itself ended. */
function ask(worker: Worker, request: WorkerRequest, ends: Ends): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    const gone = (): void => resolve({})
    const ended = (): void => reject(new EndedError())
    worker.once('message', resolve)
    worker.once('error', gone)
    worker.once('exit', gone)
    ends.end.addEventListener('abort', () => {
      worker.off('message', resolve)
      worker.off('error', gone)
      worker.off('exit', gone)
      ends.signal.removeEventListener('abort', ended)
    })
    ends.signal.addEventListener('abort', ended)
    ends.limit.then(ended, () => undefined)
    worker.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    worker.postMessage(request)
  })
}

/** What the library prints when it fails is not for the host's log. */
function startWorker(memoryBytes: number): Worker {
  const worker = new Worker(WORKER_SOURCE, {
    eval: true,
    stdout: true,
    stderr: true,
    workerData: { base: import.meta.url, pages: Math.floor(memoryBytes / PAGE) },
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(memoryBytes / 2 ** 20) },
  })
  worker.stdout.resume()
  worker.stderr.resume()
  return worker
}

/** Bytes of a page of WebAssembly memory. */
const PAGE = 64 * 1024

/** As text, since a worker cannot load TypeScript on every Node this runs on. */
const WORKER_SOURCE = `
const { createRequire } = require('node:module')
const { parentPort, workerData } = require('node:worker_threads')
const { Memory } = WebAssembly
const grow = Memory.prototype.grow
// The library's memory grows here alone: what is refused is an allocation that fails.
Memory.prototype.grow = function (more) {
  if (this.buffer.byteLength / 65536 + more > workerData.pages) throw new RangeError('too much memory')
  return grow.call(this, more)
}
const loading = createRequire(workerData.base)('jq-wasm').loadJq()
parentPort.on('message', async ({ query, input }) => {
  const jq = await loading
  try {
    parentPort.postMessage({ result: jq.raw(input, query, ['-c']) })
  } catch {
    parentPort.postMessage({})
  }
})
`
