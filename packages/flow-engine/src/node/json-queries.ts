import { createSystemRuntime, type Runtime } from '@x/wire'
import {
  OUT_OF_MEMORY,
  queryArgument,
  readQueryResult,
} from '../components/built-in/processing/json-query.ts'
import type { JsonQueries } from '../components/define/services.ts'
import { refuse } from '../refusal.ts'
import { createWorkerPool } from './worker-pool.ts'

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
  const { timeoutMs = 5_000, workers = 2, waitingPerUser = 20 } = options
  const { memoryBytes = 256 * 1024 * 1024, runtime = createSystemRuntime() } = options
  const pool = createWorkerPool<WorkerRequest, WorkerAnswer>({
    source: WORKER_SOURCE,
    workerData: { base: import.meta.url, pages: Math.floor(memoryBytes / PAGE) },
    heapBytes: memoryBytes,
    timeoutMs,
    workers,
    waitingPerUser,
    runtime,
    tooMany: () => refuse(429, 'Too many expressions are running'),
    tooLong: (cause) =>
      new TypeError(`the expression ran for more than ${timeoutMs} ms`, { cause }),
    outOfMemory: () => new TypeError(OUT_OF_MEMORY),
  })
  return {
    async query(expression, input, caller) {
      const makeRequest = (): WorkerRequest => ({
        query: queryArgument(expression),
        input: JSON.stringify(input),
      })
      return readQueryResult((await pool.ask(makeRequest, caller)).result)
    },
    close: () => pool.close(),
  }
}

interface WorkerRequest {
  readonly query: string
  readonly input: string
}

interface WorkerAnswer {
  readonly result: Parameters<typeof readQueryResult>[0]
}

/** Bytes of a page of WebAssembly memory. */
const PAGE = 64 * 1024

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
