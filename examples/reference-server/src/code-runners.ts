import { join } from 'node:path'
import { createCodeRunner } from '@x/flow-components/node'
import { createSandboxQueue } from '@x/flow-engine/node'
import { builtinComponents } from '@x/flow-components'
import { createCodeRunners, type CodeRunner } from '@x/flow-engine'
import type { Log } from './operate/log.ts'
import type { Settings } from './settings/read-settings.ts'

/** The runners of users' code, and their shutdown. */
export interface CodeRunners {
  /** Undefined if users' code is not run. */
  readonly runner: CodeRunner | undefined
  close(): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Creates the runners enabled in the settings; nothing of Python is loaded while it is disabled.
 * @throws TypeError if Python is enabled without its package, or a number is out of range
 */
export async function createCodeRunnersOf(
  settings: Settings,
  environment: Environment,
  { folder, log }: { readonly folder: string; readonly log: Log },
): Promise<CodeRunners> {
  const queue = sharedQueue(settings)
  const typescript =
    settings.SERVICE_CODE_RUNNER === true
      ? createCodeRunner({ ...scriptOptions(settings), ...queue })
      : undefined
  if (settings.SERVICE_PYTHON !== true) return { runner: typescript, close: async () => undefined }
  const { createPythonRunner } = await import('@x/flow-python')
  try {
    const python = createPythonRunner({
      ...pythonOptions(settings, environment, folder),
      ...queue,
    })
    for (const wheel of python.wheelsLeftOut) log('warning', `SERVICE_PYTHON_WHEELS: ${wheel}`)
    const runners = typescript === undefined ? [python] : [typescript, python]
    return { runner: createCodeRunners(runners), close: () => python.close() }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const missing = /the package pyodide/.test(why)
    const text = missing
      ? 'SERVICE_PYTHON needs the package pyodide: npm install pyodide'
      : why.replace(/^\w+/, (name) => SETTINGS.get(name) ?? name)
    throw new TypeError(text, { cause: error })
  }
}

/** A limit shared by both kinds of code, if configured (AB-76). */
function sharedQueue(settings: Settings) {
  const { SERVICE_MAX_SANDBOXES: concurrency, SERVICE_PYTHON_INTERPRETERS: own } = settings
  if (concurrency === undefined || own !== undefined || settings.SERVICE_PYTHON !== true) return {}
  return {
    queue: createSandboxQueue({ concurrency, perUser: settings.SERVICE_PYTHON_PER_USER ?? 1 }),
  }
}

/** The setting behind each option of the runner. */
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ['timeoutMs', 'SERVICE_PYTHON_TIMEOUT_MS'],
  ['memoryMb', 'SERVICE_PYTHON_MEMORY_MB'],
  ['maxInterpreters', 'SERVICE_PYTHON_INTERPRETERS'],
  ['maxPerUser', 'SERVICE_PYTHON_PER_USER'],
  ['warm', 'SERVICE_PYTHON_WARM'],
])

function scriptOptions({
  SERVICE_CODE_RUNNER_SECONDS: seconds = 30,
  SERVICE_MAX_SANDBOXES: maxSandboxes,
}: Settings) {
  return {
    components: builtinComponents,
    timeoutMs: seconds * 1000,
    ...(maxSandboxes === undefined ? {} : { maxSandboxes }),
  }
}

function pythonOptions(settings: Settings, environment: Environment, folder: string) {
  const { SERVICE_PYTHON_INTERPRETERS: places, SERVICE_PYTHON_WARM: warm = 1 } = settings
  const names = settings.SERVICE_PYTHON_ENV ?? []
  const given = names.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    timeoutMs: settings.SERVICE_PYTHON_TIMEOUT_MS ?? 60_000,
    memoryMb: settings.SERVICE_PYTHON_MEMORY_MB ?? 512,
    maxPerUser: settings.SERVICE_PYTHON_PER_USER ?? 1,
    warm,
    eager: warm > 0,
    ...(places === undefined ? {} : { maxInterpreters: places }),
    environment: Object.fromEntries(given),
    cacheDir: join(folder, 'cache'),
    ...(settings.SERVICE_PYTHON_WHEELS === undefined
      ? {}
      : { wheels: settings.SERVICE_PYTHON_WHEELS }),
  }
}
