import { createHash } from 'node:crypto'
import { createSystemRuntime } from '@x/wire'
import { setLru } from '@x/wire'
import type { CodeRunner } from '@x/flow-engine'
import { createImage, type Image } from './image.ts'
import { createInterpreterPool } from './interpreter-pool.ts'
import { createPythonCalls } from './python-calls.ts'
import type { ClassDescription } from './class-description.ts'
import { componentOfClass, componentOfNode } from './python-component.ts'
import { readPyodide } from './python-files.ts'
import { missingNames } from '@x/flow-engine/internal'
import { readWheels } from './wheels.ts'
import { completeNumbers, type PythonRunnerOptions } from './runner-options.ts'

/** Runs components written in Python. */
export interface PythonRunner extends CodeRunner {
  /** Wheels that were skipped, each with the reason, for the operator's log. */
  readonly wheelsLeftOut: readonly string[]
  /** Ends every interpreter; calls in progress fail. */
  close(): Promise<void>
  /** Number of interpreters ready and in use, waiting calls, and cached class descriptions. */
  stats(): { warm: number; busy: number; waiting: number; classes: number }
}

const CLASSES = 500
const READING_MS = 5_000

/**
 * Creates a runner for components that flow authors wrote in Python. The code runs in CPython compiled to
 * WebAssembly; each call has its own interpreter in its own worker, isolated from the host.
 * Requires the package `pyodide`; nothing is loaded before the first call.
 * @throws RangeError for an option out of range; TypeError when `pyodide` is missing
 */
export function createPythonRunner(options: PythonRunnerOptions = {}): PythonRunner {
  const numbers = completeNumbers(options)
  readPyodide()
  const wheels = readWheels(options.wheels)
  const runtime = options.runtime ?? createSystemRuntime()
  let image: Promise<Image> | undefined
  const loadImage = (): Promise<Image> => {
    image ??= createImage({
      memoryMb: numbers.memoryMb,
      outputBytes: numbers.maxOutputBytes,
      modules: options.modules ?? {},
      wheels: wheels.library,
      cacheDir: options.cacheDir,
    })
    image.catch(() => (image = undefined))
    return image
  }
  const pool = createInterpreterPool({
    ...numbers,
    image: loadImage,
    runtime,
    queue: options.queue,
  })
  if (options.eager === true) pool.warmUp()
  const calls = createPythonCalls(pool, {
    timeoutMs: numbers.timeoutMs,
    readingMs: Math.min(READING_MS, numbers.timeoutMs),
    memoryMb: numbers.memoryMb,
    inputBytes: numbers.maxInputBytes,
    outputBytes: numbers.maxOutputBytes,
    environment: options.environment ?? {},
    fetch: options.fetch,
    runtime,
  })
  const classes = new Map<string, ClassDescription>()
  const modules = new Set([...Object.keys(options.modules ?? {}), ...wheels.names])

  const read = async (code: string, signal: AbortSignal, userId: string) => {
    const key = createHash('sha256').update(code).digest('hex')
    const description = classes.get(key) ?? (await calls.describe(code, { signal, userId }))
    return setLru(classes, key, description, CLASSES)
  }

  return {
    languages: new Set(['python'] as const),
    async load(code, { signal, userId = '', node }) {
      const missing = missingNames(code, modules)
      if (missing !== undefined) throw new TypeError(missing)
      const stands = node?.outputs?.some(({ method }) => method !== 'to_toolkit') === true
      if (node !== undefined && stands) return componentOfNode(code, node, calls)
      return componentOfClass(code, await read(code, signal, userId), calls)
    },
    missing: (code) => missingNames(code, modules),
    wheelsLeftOut: wheels.leftOut,
    stats: () => ({ ...pool.stats(), classes: classes.size }),
    close: () => pool.close(),
  }
}
