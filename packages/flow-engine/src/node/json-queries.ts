import { Worker } from 'node:worker_threads'
import { createSystemRuntime, type Runtime } from '@x/wire'
import {
  OUT_OF_MEMORY,
  queryArgument,
  readQueryResult,
} from '../components/processing/json-query.ts'
import type { JsonQueries } from '../components/services.ts'

export interface JsonQueriesOptions {
  /** Milliseconds that an expression may run; default 10,000. */
  readonly timeoutMs?: number
  readonly runtime?: Runtime
}

export interface WorkerJsonQueries extends JsonQueries {
  /** Ends the worker; a later query starts a new one. */
  close(): Promise<void>
}

/**
 * Runs jq expressions one after the other in a worker thread, so that one which never ends is ended
 * without harm to the rest of the process. The worker starts with the first query and does not keep
 * the process alive.
 */
export function createJsonQueries(options: JsonQueriesOptions = {}): WorkerJsonQueries {
  const { timeoutMs = 10_000, runtime = createSystemRuntime() } = options
  let worker: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function stop(stopped: Worker | undefined): Promise<void> {
    if (worker === stopped) worker = undefined
    await stopped?.terminate()
  }

  async function run(request: WorkerRequest, signal: AbortSignal): Promise<unknown[]> {
    signal.throwIfAborted()
    const current = (worker ??= startWorker())
    const end = new AbortController()
    const limit = runtime.sleep(timeoutMs, end.signal)
    try {
      const { result } = await ask(current, request, { signal, limit, end: end.signal })
      if (result !== undefined) return readQueryResult(result)
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
    query(expression, input, { signal }) {
      const request = { query: queryArgument(expression), input: JSON.stringify(input) }
      const answer = last.then(() => run(request, signal))
      last = answer.catch(() => undefined)
      return answer
    },
    close: () => stop(worker),
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
function startWorker(): Worker {
  const worker = new Worker(WORKER_SOURCE, {
    eval: true,
    stdout: true,
    stderr: true,
    workerData: { base: import.meta.url },
  })
  worker.stdout.resume()
  worker.stderr.resume()
  return worker
}

/** As text, since a worker cannot load TypeScript on every Node this runs on. */
const WORKER_SOURCE = `
const { createRequire } = require('node:module')
const { parentPort, workerData } = require('node:worker_threads')
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
