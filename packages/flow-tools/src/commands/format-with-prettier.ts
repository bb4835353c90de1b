import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The part of Prettier that is used; its types are not a dependency. */
interface Prettier {
  resolveConfig(path: string): Promise<object | null>
  format(text: string, options: object): Promise<string>
}

/** The text as the project's Prettier formats it; unchanged where there is none. */
export async function formatWithPrettier(text: string, path: string): Promise<string> {
  const prettier = await prettierOf(dirname(path))
  if (prettier === undefined) return text
  const config = await prettier.resolveConfig(path)
  return prettier.format(text, { ...config, filepath: path })
}

async function prettierOf(folder: string): Promise<Prettier | undefined> {
  let found: string
  try {
    found = createRequire(join(folder, 'eject.js')).resolve('prettier')
  } catch {
    return undefined
  }
  const loaded = (await import(/* @vite-ignore */ pathToFileURL(found).href)) as {
    readonly default?: Prettier
  } & Prettier
  return loaded.default ?? loaded
}
