import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'

/** The modules that the operator's wheels add. */
export interface Wheels {
  /** Python modules by their path, `bs4/__init__.py` for example. */
  readonly library: Readonly<Record<string, string>>
  /** Names that components import. */
  readonly names: ReadonlySet<string>
  /** Wheels that are not used, and why. */
  readonly leftOut: readonly string[]
}

const NONE: Wheels = { library: {}, names: new Set(), leftOut: [] }
/** Text of all modules of all wheels. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Reads the wheels of a folder (PY-26): those of pure Python. A wheel with compiled parts, one for
 * another Python and one that cannot be read are left out and named.
 * @throws TypeError when the folder cannot be read, or its modules are larger than 64 MiB
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
    if (bytes > MOST_BYTES)
      throw new TypeError(`The wheels in ${folder} have more than 64 MiB of modules`)
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
    throw new TypeError(`The folder of wheels ${folder} cannot be read`)
  }
}

/** `name-version(-build)?-python-abi-platform.whl`: only `py3-none-any` holds Python alone. */
function readWheel(path: string, name: string): Record<string, string> | string {
  const [python = '', abi, platform] = name.slice(0, -'.whl'.length).split('-').slice(-3)
  if (abi !== 'none' || platform !== 'any') return 'has compiled parts, which are not offered'
  if (!python.split('.').some((one) => /^py3|^cp314/.test(one))) return 'is for another Python'
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
