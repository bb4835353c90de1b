import { Worker } from 'node:worker_threads'
import { eventLoopTurn, missingLibrary, notBeside, type Runtime } from '@x/wire'
import type { WorkCaller } from '../components/define/services.ts'
import { createUserQueue } from './user-queue.ts'

/** The program of a pool's threads, and its limits. */
export interface WorkerPoolOptions<Request> {
  /**
   * The worker program as CommonJS source, since not every supported Node version loads TypeScript in
   * workers. It receives `workerData` and replies to each message with one message. A worker that exits
   * instead of replying, or replies `{}`, has run out of memory.
   */
  readonly source: string
  readonly workerData: Readonly<Record<string, unknown>>
  /** Buffers of a request that are transferred instead of copied. */
  readonly transfer?: (request: Request) => ArrayBuffer[]
  /** Bytes of a worker's JavaScript heap. */
  readonly heapBytes: number
  /** Maximum milliseconds per request. */
  readonly timeoutMs: number
  /** Concurrent requests, one thread each. One user may use one fewer, at least 1. */
  readonly workers: number
  /** Queued requests per user. */
  readonly waitingPerUser: number
  readonly runtime: Runtime
  /** What the work is, in the plural, for the message about a library that cannot be loaded. */
  readonly what: string
  readonly tooMany: () => Error
  readonly tooLong: (cause: unknown) => Error
  readonly outOfMemory: () => Error
}

export interface WorkerPool<Request, Answer, Part> {
  /**
   * Resolves with the worker's reply. `request` is called when its turn has come. A worker may send
   * messages `{ part }` first and waits after each for the message `next`, sent one turn of the event loop
   * later.
   * @throws the errors of the options; the signal's reason
   */
  ask(
    makeRequest: () => Request,
    caller: WorkCaller,
    onPart?: (part: Part) => void,
  ): Promise<Answer>
  /** Stops the workers; a later request starts new ones. */
  close(): Promise<void>
}

/**
 * Worker threads for work that may not terminate, which can be stopped safely. Users have separate queues
 * that take turns. Workers start on first use and do not keep the process alive.
 */
export function createWorkerPool<Request, Answer extends object, Part = never>(
  options: WorkerPoolOptions<Request>,
): WorkerPool<Request, Answer, Part> {
  const { timeoutMs, workers: places, waitingPerUser, runtime, tooMany } = options
  const workers = new Set<Worker>()
  const idle: Worker[] = []
  const queue = createUserQueue({
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
    // A worker that exits while idle must neither crash the process nor be reused.
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
        // The worker program replies in this format.
        return answer as Answer
      }
    } catch (error) {
      await stop(current)
      const library = missingLibrary(error)
      if (library !== undefined) throw notBeside(options.what, library, error)
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
      queue(userId, signal, () => run(makeRequest(), signal, onPart)),
    async close() {
      await Promise.all([...workers].map(stop))
    },
  }
}

/** The worker has to be stopped: the time is up, or the caller has aborted. */
class EndedError extends Error {}

interface Ends {
  readonly signal: AbortSignal
  readonly limit: Promise<void>
  readonly end: AbortSignal
  readonly onPart: (part: unknown) => void
}

/** Resolves with an empty reply if the worker exits. */
function exchange(worker: Worker, post: () => void, ends: Ends): Promise<object> {
  return new Promise((resolve, reject) => {
    const gone = (): void => resolve({})
    const broken = (error: unknown): void => {
      if (missingLibrary(error) === undefined) gone()
      else reject(error)
    }
    const ended = (): void => reject(new EndedError())
    const take = (message: object): void => {
      if (!('part' in message)) return resolve(message)
      ends.onPart(message.part)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      void eventLoopTurn().then(() => worker.postMessage('next'))
    }
    worker.on('message', take)
    worker.once('error', broken)
    worker.once('exit', gone)
    ends.end.addEventListener('abort', () => {
      worker.off('message', take)
      worker.off('error', broken)
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
 * Keeps error output of libraries out of the host's log. It is dropped inside the worker, because a stream
 * that is read here would keep the process alive.
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
