import { Worker } from 'node:worker_threads'
import {
  createSystemRuntime,
  isObject,
  missingLibrary,
  modulePlace,
  notBeside,
  type Runtime,
} from '@x/wire'
import { sandboxMain, workerSource } from './sandbox-source.ts'

/** Limits of one sandbox run. */
export interface SandboxLimits {
  /** Milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  /** Bytes. Default 64 MiB. */
  readonly memoryBytes?: number
  readonly runtime?: Runtime
}

/** A request to the sandbox about the component of a module. */
export type SandboxRequest =
  | { readonly kind: 'describe' }
  | {
      readonly kind: 'run'
      readonly output: string
      readonly inputs: unknown
      readonly context: unknown
    }

const PAGE = 64 * 1024

/**
 * Runs component code in an isolated interpreter in a worker thread, without ambient authority or
 * host objects. Each run has its own worker, so no state remains.
 * @throws Error with a message for the author of the code
 */
export async function runSandbox(
  modules: Readonly<Record<string, string>>,
  request: SandboxRequest,
  signal: AbortSignal,
  limits: SandboxLimits = {},
): Promise<Record<string, unknown>> {
  const { timeoutMs = 30_000, memoryBytes = 64 * 1024 * 1024 } = limits
  const runtime = limits.runtime ?? createSystemRuntime()
  signal.throwIfAborted()
  const worker = new Worker(workerSource, {
    eval: true,
    env: {},
    execArgv: [],
    stdin: false,
    resourceLimits: { stackSizeMb: 16, maxOldGenerationSizeMb: 128 },
    workerData: {
      base: modulePlace(import.meta.url),
      modules,
      main: sandboxMain,
      request: JSON.stringify(request),
      pages: Math.max(256, Math.floor(memoryBytes / PAGE)),
    },
  })
  const ended = new AbortController()
  try {
    const late = runtime.sleep(timeoutMs, AbortSignal.any([signal, ended.signal])).then(() => {
      throw new Error(`the code ran into the time limit of ${timeoutMs / 1000} seconds`)
    })
    return readResult(await Promise.race([answerOf(worker), late]))
  } finally {
    ended.abort()
    await worker.terminate()
  }
}

function answerOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', (error) => {
      const library = missingLibrary(error)
      reject(library === undefined ? error : notBeside('Components with code', library, error))
    })
    worker.once('exit', () => reject(new Error('the code ran into the memory limit')))
  })
}

function readResult(answer: unknown): Record<string, unknown> {
  const parsed: unknown = typeof answer === 'string' ? JSON.parse(answer) : null
  const { value, error } = isObject(parsed) ? parsed : {}
  if (typeof error === 'string') {
    const exhausted = /out of memory|memory access out of bounds|unreachable/i.test(error)
    throw new Error(exhausted ? 'the code ran into the memory limit' : error)
  }
  return isObject(value) ? value : {}
}
