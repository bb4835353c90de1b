import { createSystemRuntime, modulePlace, type Runtime } from '@x/wire'
import { OUT_OF_MEMORY, queryArgument, readQueryResult } from '../built-in/processing/json-query.ts'
import type { JsonQueries } from '@x/flow-engine'
import { FlowError } from '@x/flow-engine'
import { createWorkerPool } from '@x/flow-engine/internal/node'

export interface JsonQueriesOptions {
  /** Maximum milliseconds per expression. Default 5,000. */
  readonly timeoutMs?: number
  /** Concurrent expressions, one thread each. Default 2. One user may use one fewer, at least 1. */
  readonly workers?: number
  /** Queued expressions per user; further ones are rejected. Default 20. */
  readonly waitingPerUser?: number
  /** Maximum bytes per expression. Default 256 MiB. */
  readonly memoryBytes?: number
  readonly runtime?: Runtime
}

export interface WorkerJsonQueries extends JsonQueries {
  /** Stops the workers; a later query starts new ones. */
  close(): Promise<void>
}

/**
 * Runs jq expressions in worker threads, so that one that does not terminate can be stopped safely. Users
 * have separate queues that take turns. Workers start on first use and do not keep the process alive.
 */
export function createJsonQueries(options: JsonQueriesOptions = {}): WorkerJsonQueries {
  const { timeoutMs = 5_000, workers = 2, waitingPerUser = 20 } = options
  const { memoryBytes = 256 * 1024 * 1024, runtime = createSystemRuntime() } = options
  const pool = createWorkerPool<WorkerRequest, WorkerAnswer>({
    source: WORKER_SOURCE,
    workerData: { base: modulePlace(import.meta.url), pages: Math.floor(memoryBytes / PAGE) },
    heapBytes: memoryBytes,
    timeoutMs,
    workers,
    waitingPerUser,
    runtime,
    what: 'JSON queries',
    tooMany: () => new FlowError('rate_limited', 'Too many expressions are running'),
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

/** Size of a WebAssembly memory page in bytes. */
const PAGE = 64 * 1024

const WORKER_SOURCE = `
const { createRequire } = require('node:module')
const { parentPort, workerData } = require('node:worker_threads')
const { Memory } = WebAssembly
const grow = Memory.prototype.grow
// The library's memory grows only here, so rejecting the growth makes its allocation fail.
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
