import { Worker } from 'node:worker_threads'
import { eventLoopTurn, type Runtime } from '@x/wire'
import type { WorkCaller } from '../components/define/services.ts'
import { createUserTurns } from './user-turns.ts'

/** Threads that all run one program, and what bounds them. */
export interface WorkerPoolOptions<Request> {
  /**
   * The program of a worker, CommonJS as text, since a worker cannot load TypeScript on every Node this runs on.
   * It gets `workerData` and answers each message with one message. A worker that ends instead of answering, or
   * answers `{}`, has run out of memory.
   */
  readonly source: string
  readonly workerData: Readonly<Record<string, unknown>>
  /** Buffers of a request that are handed over instead of copied. */
  readonly transfer?: (request: Request) => ArrayBuffer[]
  /** Bytes of a worker's heap of JavaScript values. */
  readonly heapBytes: number
  /** Milliseconds that one request may take. */
  readonly timeoutMs: number
  /** Requests at once, a thread for each. One user has one fewer, at least 1. */
  readonly workers: number
  /** Requests of one user that wait. */
  readonly waitingPerUser: number
  readonly runtime: Runtime
  readonly tooMany: () => Error
  readonly tooLong: (cause: unknown) => Error
  readonly outOfMemory: () => Error
}

export interface WorkerPool<Request, Answer, Part> {
  /**
   * Resolves with what the worker answered. The request is made when the turn has come. A worker may send
   * messages `{ part }` before: after each it waits for the message `next`, which follows a turn of the event loop.
   * @throws the errors of the options; the reason of the signal
   */
  ask(
    makeRequest: () => Request,
    caller: WorkCaller,
    onPart?: (part: Part) => void,
  ): Promise<Answer>
  /** Ends the workers; a later request starts new ones. */
  close(): Promise<void>
}

/**
 * Worker threads for work that may never end: it is ended without harm to the rest of the process. Each user has
 * a queue of its own and the queues take turns. Workers start with the first requests and do not keep the process
 * alive.
 */
export function createWorkerPool<Request, Answer extends object, Part = never>(
  options: WorkerPoolOptions<Request>,
): WorkerPool<Request, Answer, Part> {
  const { timeoutMs, workers: places, waitingPerUser, runtime, tooMany } = options
  const workers = new Set<Worker>()
  const idle: Worker[] = []
  const turns = createUserTurns({
    concurrency: places,
    perUser: Math.max(1, places - 1),
    waitingPerUser,
    tooMany,
  })

  async function stop(stopped: Worker): Promise<void> {
    workers.delete(stopped)
    await stopped.terminate()
  }
  function takeWorker(): Worker {
    let worker = idle.pop()
    while (worker !== undefined && !workers.has(worker)) worker = idle.pop()
    if (worker !== undefined) return worker
    const started = startWorker(options)
    workers.add(started)
    // One that ends while it is idle must not end the process, nor be taken again.
    started.on('error', () => undefined)
    started.once('exit', () => workers.delete(started))
    return started
  }

  async function run(
    request: Request,
    signal: AbortSignal,
    onPart?: (part: Part) => void,
  ): Promise<Answer> {
    signal.throwIfAborted()
    const current = takeWorker()
    const end = new AbortController()
    const limit = runtime.sleep(timeoutMs, end.signal)
    const post = (): void => current.postMessage(request, options.transfer?.(request) ?? [])
    try {
      const answer = await exchange(current, post, {
        signal,
        limit,
        end: end.signal,
        onPart: (part) => onPart?.(part as Part),
      })
      if (Object.keys(answer).length > 0) {
        idle.push(current)
        // The program of the options answers in this form.
        return answer as Answer
      }
    } catch (error) {
      await stop(current)
      if (!(error instanceof EndedError)) throw error
      signal.throwIfAborted()
      throw options.tooLong(error)
    } finally {
      end.abort()
      current.unref()
    }
    await stop(current)
    throw options.outOfMemory()
  }

  return {
    ask: (makeRequest, { signal, userId = '' }, onPart) =>
      turns(userId, signal, () => run(makeRequest(), signal, onPart)),
    async close() {
      await Promise.all([...workers].map(stop))
    },
  }
}

/** The worker has to be ended: the time is up, or the caller has left. */
class EndedError extends Error {}

interface Ends {
  readonly signal: AbortSignal
  readonly limit: Promise<void>
  readonly end: AbortSignal
  readonly onPart: (part: unknown) => void
}

/** Resolves with an empty answer when the worker itself ended. */
function exchange(worker: Worker, post: () => void, ends: Ends): Promise<object> {
  return new Promise((resolve, reject) => {
    const gone = (): void => resolve({})
    const ended = (): void => reject(new EndedError())
    const take = (message: object): void => {
      if (!('part' in message)) return resolve(message)
      ends.onPart(message.part)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      void eventLoopTurn().then(() => worker.postMessage('next'))
    }
    worker.on('message', take)
    worker.once('error', gone)
    worker.once('exit', gone)
    ends.end.addEventListener('abort', () => {
      worker.off('message', take)
      worker.off('error', gone)
      worker.off('exit', gone)
      ends.signal.removeEventListener('abort', ended)
    })
    ends.signal.addEventListener('abort', ended)
    ends.limit.then(ended, () => undefined)
    worker.ref()
    post()
  })
}

/**
 * The output of libraries about failures is kept out of the host's log. It is dropped in the worker: a stream that
 * is read here would keep the process alive.
 */
const SILENT = 'process.stdout.write = process.stderr.write = () => true\n'

function startWorker({
  source,
  workerData,
  heapBytes,
}: Pick<WorkerPoolOptions<never>, 'source' | 'workerData' | 'heapBytes'>): Worker {
  return new Worker(SILENT + source, {
    eval: true,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heapBytes / 2 ** 20) },
  })
}
