import { createSystemRuntime } from '@x/wire'
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, isAbsolute } from 'node:path'
import { UsageError } from './command.ts'

const runtime = createSystemRuntime()

/** The text of a file; undefined if there is none. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Writes a file by a temporary one and a rename, unless it has this text already.
 * @param within the folder that no link may lead out of
 * @returns whether it was written
 * @throws UsageError if a link leads elsewhere
 */
export async function writeText(
  path: string,
  text: string | Uint8Array,
  within = dirname(path),
): Promise<boolean> {
  if (typeof text === 'string' && (await readText(path)) === text) return false
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const home = await realpath(within).catch(() => within)
  const target = await realpath(path).catch(() => undefined)
  const real = target ?? join(await realpath(folder), basename(path))
  const inside = relative(home, real)
  if (inside.startsWith('..') || isAbsolute(inside))
    throw new UsageError(`${basename(path)} leads out of its folder`)
  const draft = join(dirname(real), `.${basename(real)}.${runtime.uuid().slice(0, 8)}.tmp`)
  try {
    await writeFile(draft, text)
    await rename(draft, real)
  } catch (error) {
    await rm(draft, { force: true })
    throw new UsageError(`${basename(path)} cannot be written: ${codeOf(error)}`)
  }
  return true
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
