import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { modulePlace } from '@x/wire'

/** The files that an interpreter needs besides Pyodide. */
export interface GuestFiles {
  /** Path of the worker script. */
  readonly worker: string
  readonly realm: string
  readonly prepare: string
  readonly main: string
  /** Python modules by path, for example `_flow/job.py`. */
  readonly library: Readonly<Record<string, string>>
}

const require = createRequire(modulePlace(import.meta.url))

/** Reads the package's Python files and realms, which are published next to the sources. */
export function readGuestFiles(): GuestFiles {
  const folder = join(dirname(require.resolve('@x/flow-python/package.json')), 'src/guest')
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const library = join(folder, 'lib')
  const paths = readdirSync(library, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.py'))
    .toSorted()
  return {
    worker: join(folder, 'worker.mjs'),
    realm: read('realm.js'),
    prepare: read('prepare.py'),
    main: read('main.py'),
    library: Object.fromEntries(
      paths.map((path) => [
        relative('.', path).replaceAll(sep, '/'),
        readFileSync(join(library, path), 'utf8'),
      ]),
    ),
  }
}

/** The files of Pyodide. */
export interface PyodideFiles {
  readonly version: string
  readonly glue: string
  readonly binary: Uint8Array
  readonly library: Uint8Array
}

/** @throws TypeError when the package is not installed or its version is not supported */
export function readPyodide(): PyodideFiles {
  let manifest: string
  try {
    manifest = require.resolve('pyodide/package.json')
  } catch {
    throw new TypeError('Python components need the package pyodide: npm install pyodide')
  }
  const folder = dirname(manifest)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  if (!version.startsWith('314.')) {
    throw new TypeError(
      `Python components need pyodide 314, not ${version}: npm install pyodide@314`,
    )
  }
  return {
    version,
    glue: asScript(readFileSync(join(folder, 'pyodide.asm.mjs'), 'utf8')),
    binary: readFileSync(join(folder, 'pyodide.asm.wasm')),
    library: readFileSync(join(folder, 'python_stdlib.zip')),
  }
}

/**
 * Converts the interpreter's loader, an ES module, to a script, because a separate realm cannot load modules.
 */
function asScript(module: string): string {
  const changes = [
    ['export default _createPyodideModule;', ';_createPyodideModule'],
    ['import.meta.url', '"file:///interpreter"'],
    [
      'ENVIRONMENT_IS_SHELL=!ENVIRONMENT_IS_WEB&&!ENVIRONMENT_IS_NODE&&!ENVIRONMENT_IS_WORKER',
      'ENVIRONMENT_IS_SHELL=false',
    ],
  ] as const
  return changes.reduce((text, [before, after]) => {
    if (!text.includes(before)) throw new TypeError('This version of pyodide is not supported')
    return text.replaceAll(before, after)
  }, module)
}
