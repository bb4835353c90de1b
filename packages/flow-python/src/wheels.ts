import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'

/** The modules added by the operator's wheels. */
export interface Wheels {
  /** Python modules by path, for example `bs4/__init__.py`. */
  readonly library: Readonly<Record<string, string>>
  /** Names that components can import. */
  readonly names: ReadonlySet<string>
  /** Wheels that were skipped, each with the reason. */
  readonly leftOut: readonly string[]
}

const NONE: Wheels = { library: {}, names: new Set(), leftOut: [] }
/** Maximum total size of the modules of all wheels. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads the pure Python wheels of a folder. Wheels that contain compiled code, target another Python
 * version or cannot be read are skipped and reported.
 * @throws TypeError when the folder cannot be read, or its modules exceed 64 MiB
 */
export function readWheels(folder: string | undefined): Wheels {
  if (folder === undefined) return NONE
  const library: Record<string, string> = {}
  const leftOut: string[] = []
  let bytes = 0
  for (const name of wheelsIn(folder)) {
    const found = readWheel(join(folder, name), name)
    if (typeof found === 'string') leftOut.push(`${name}: ${found}`)
    else {
      Object.assign(library, found)
      for (const text of Object.values(found)) bytes += text.length
    }
    if (bytes > MAX_BYTES)
      throw new TypeError(`The wheels in ${folder} contain more than 64 MiB of modules`)
  }
  const names = new Set(Object.keys(library).map((path) => path.replace(/(\/.*|\.py)$/, '')))
  return { library, names, leftOut }
}

function wheelsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.whl'))
      .toSorted()
  } catch {
    throw new TypeError(`The wheels folder ${folder} cannot be read`)
  }
}

/** Wheel names are `name-version(-build)?-python-abi-platform.whl`; only `none-any` is pure Python. */
function readWheel(path: string, name: string): Record<string, string> | string {
  const [python = '', abi, platform] = name.slice(0, -'.whl'.length).split('-').slice(-3)
  if (abi !== 'none' || platform !== 'any') return 'contains compiled code, which is not supported'
  if (!python.split('.').some((one) => /^py3|^cp314/.test(one)))
    return 'is for another Python version'
  try {
    const files = unzipSync(readFileSync(path), {
      filter: (file) => file.name.endsWith('.py') && !file.name.includes('..'),
    })
    const decoder = new TextDecoder()
    return Object.fromEntries(
      Object.entries(files).map(([file, content]) => [file, decoder.decode(content)]),
    )
  } catch {
    return 'cannot be read'
  }
}
