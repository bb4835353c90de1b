import { Worker } from 'node:worker_threads'
import type { Runtime } from '@x/wire'
import type { Image } from './image.ts'
import { readWorkerMessage, type WorkerStart } from './worker-messages.ts'

/** The outcome of an interpreter call. */
export type CallOutcome =
  | { readonly kind: 'result'; readonly value: Record<string, unknown> }
  | { readonly kind: 'timeLimit' | 'memoryLimit' | 'outputLimit' | 'ended' }

/** The host functions available to a call. */
export interface InterpreterHost {
  /** Answers a question. If it throws, the Python code gets an error with the same message. */
  call(question: Record<string, unknown>, signal: AbortSignal): Promise<unknown>
  notice(notice: Record<string, unknown>): void
}

/** The answer to a question that asks the code to call one of its own objects before it goes on. */
export class GuestCall {
  readonly facts: object

  constructor(facts: object) {
    this.facts = facts
  }
}

/**
 * An interpreter in its own worker. It serves one call, and the calls of the objects that this call has passed
 * to other components; then it ends.
 */
export interface Interpreter {
  /** Resolves when the interpreter can run. */
  readonly ready: Promise<void>
  /** @throws the signal's reason */
  run(job: object, host: InterpreterHost, options: PythonRunOptions): Promise<CallOutcome>
  end(): Promise<void>
}

export interface PythonRunOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Limits for the worker's JavaScript heap; the image limits Python's memory. */
const RESOURCES = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 6, stackSizeMb: 4 }

export function startInterpreter(image: Image, runtime: Runtime): Interpreter {
  const signal = new SharedArrayBuffer(4)
  const answered = new Int32Array(signal)
  const worker = new Worker(image.worker, {
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: RESOURCES,
    workerData: { ...image.start, signal } satisfies WorkerStart,
  })
  // An idle interpreter must not keep the process alive.
  worker.unref()
  let ended: Promise<unknown> | undefined
  const end = async (): Promise<void> => {
    await (ended ??= worker.terminate())
  }

  const ready = new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve())
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('The Python interpreter did not start')))
  })
  ready.catch(() => undefined)

  const answer = (value: object): void => {
    worker.postMessage(JSON.stringify(value), [])
    Atomics.add(answered, 0, 1)
    Atomics.notify(answered, 0)
  }

  const converse = (host: InterpreterHost, over: AbortSignal): Promise<CallOutcome> =>
    new Promise((resolve) => {
      let result: Record<string, unknown> | undefined
      const fail = (error?: Error): void => {
        const exhausted = error !== undefined && Reflect.get(error, 'code') === OUT_OF_MEMORY
        resolve({ kind: exhausted ? 'memoryLimit' : 'ended' })
      }
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      worker.on('message', (raw) => {
        const message = readWorkerMessage(raw)
        if (message === undefined) return
        if (message.kind === 'call') {
          host.call(message.value, over).then(
            (value) =>
              answer(
                value instanceof GuestCall ? { callback: value.facts } : { value: value ?? null },
              ),
            (error: unknown) => answer(refusal(error)),
          )
        } else if (message.kind === 'notice') host.notice(message.value)
        else if (message.kind === 'result') result = message.value
        else if (message.kind === 'tooLarge') resolve({ kind: 'outputLimit' })
        else if (result !== undefined) resolve(outcomeOf(result))
        else if (message.kind === 'exhausted') resolve({ kind: 'memoryLimit' })
        else resolve({ kind: 'ended' })
      })
      worker.once('error', fail)
      worker.once('exit', () => fail())
    })

  return {
    ready,
    end,
    async run(job, host, { timeoutMs, signal: cancel }) {
      cancel.throwIfAborted()
      const over = new AbortController()
      const both = AbortSignal.any([cancel, over.signal])
      worker.ref()
      try {
        await ready
        const outcome = converse(host, both)
        const random = runtime.randomBytes(RANDOM_BYTES)
        worker.postMessage({ job: JSON.stringify(job), now: runtime.now().getTime(), random }, [])
        const late = runtime.sleep(timeoutMs, both).then(() => ({ kind: 'timeLimit' }) as const)
        return await Promise.race([outcome, late])
      } finally {
        over.abort()
        worker.unref()
      }
    },
  }
}

/** Random bytes sent with each job; the platform supplies any more it needs. */
const RANDOM_BYTES = 4096

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

function outcomeOf(value: Record<string, unknown>): CallOutcome {
  return value['memory'] === true ? { kind: 'memoryLimit' } : { kind: 'result', value }
}

/** Converts an error to the form that the guest library reads. */
function refusal(error: unknown): object {
  const kind: unknown = typeof error === 'object' && error !== null && Reflect.get(error, 'kind')
  return {
    error: error instanceof Error ? error.message : 'refused',
    ...(typeof kind === 'string' ? { kind } : {}),
  }
}
