import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { vi } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const SCRATCH = new URL('../dist/docs/', import.meta.url)

/**
 * The blocks of a page in one language, by its path from the root of the repository. Blocks that no test runs
 * say so after their language: `sh not run: needs Docker`.
 */
export async function blocksOf(page: string, language = 'ts'): Promise<readonly string[]> {
  const text = await readFile(new URL(page, ROOT), 'utf8')
  const block = /^(?<indent> *)```(?<language>[^`\n]+)\n(?<code>[\s\S]*?)^ *```$/gm
  return Array.from(text.matchAll(block), ({ groups }) => groups)
    .filter((found) => found?.['language'] === language)
    .map((found) => (found?.['code'] ?? '').replaceAll(`\n${found?.['indent']}`, '\n').trimStart())
}

/**
 * The one block of a page, in one language, that contains a text.
 * @throws Error when no block or several do
 */
export async function blockWith(page: string, text: string, language = 'ts'): Promise<string> {
  const found = (await blocksOf(page, language)).filter((code) => code.includes(text))
  if (found.length !== 1) throw new Error(`${page}: ${found.length} blocks with ${text}`)
  return found[0] ?? ''
}

/** Loads code of a page as a module of this test, and gives its exports. */
export async function load<T>(name: string, code: string): Promise<T> {
  await mkdir(SCRATCH, { recursive: true })
  const file = fileURLToPath(new URL(`${name}.ts`, SCRATCH))
  await writeFile(file, code)
  return (await import(/* @vite-ignore */ `${pathToFileURL(file).href}?${Date.now()}`)) as T
}

/** What a page prints while its code is loaded: the first value of each line. */
export async function printedBy(name: string, code: string): Promise<unknown[]> {
  return (await linesOf(name, code)).map(([first]) => first)
}

/** The values of each line that a page prints while its code is loaded. */
export async function linesOf(name: string, code: string): Promise<readonly unknown[][]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    await load(name, code)
    return log.mock.calls
  } finally {
    log.mockRestore()
  }
}
