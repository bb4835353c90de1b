import { createRequire, register } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { errorText } from '@x/flow-engine'
import { isObject } from '@x/wire'
import { MODULE_HOOKS } from './module-hooks.ts'
import { FoundError } from './command.ts'

/** Modules are kept by their address: a new number loads a file and all that it imports anew. */
let loads = 0
let isRegistered = false
const files = new Set<string>()

/**
 * The default export of a module of the repository. Types are removed from TypeScript, also of what it imports by a
 * relative path, and JSON can be imported.
 * @throws FoundError with file, line and column for a syntax that cannot be read, and for a module that fails
 */
export async function loadModule(path: string, cwd: string): Promise<unknown> {
  if (!isRegistered) {
    isRegistered = true
    const components = createRequire(import.meta.url).resolve('@x/flow-components/package.json')
    const parser = createRequire(components).resolve('@swc/wasm-typescript')
    const source = MODULE_HOOKS.replace('PARSER', JSON.stringify(pathToFileURL(parser).href))
    const { port1, port2 } = new MessageChannel()
    port1.on('message', (file: string) => files.add(file))
    port1.unref()
    register(`data:text/javascript,${encodeURIComponent(source)}`, {
      data: port2,
      transferList: [port2],
    })
  }
  loads += 1
  const url = pathToFileURL(path)
  url.searchParams.set('x-flow', String(loads))
  try {
    const loaded: unknown = await import(/* @vite-ignore */ url.href)
    return isObject(loaded) ? loaded['default'] : undefined
  } catch (error) {
    throw new FoundError(placed(errorText(error), path, cwd))
  }
}

/** The files that were loaded so far, with what they import by a relative path. */
export function loadedFiles(): ReadonlySet<string> {
  return files
}

/** Messages of syntax begin with the file; others are said of the module that was loaded. */
function placed(text: string, path: string, cwd: string): string {
  const [, url, rest] = /^(file:\S+?)(:\d+:\d+ .*)$/s.exec(text) ?? []
  const shown = (file: string): string => relative(cwd, file).replaceAll('\\', '/')
  if (url === undefined || rest === undefined) return `${shown(path)}: ${text}`
  return shown(fileURLToPath(new URL(url).href.replace(/\?.*/, ''))) + rest
}
