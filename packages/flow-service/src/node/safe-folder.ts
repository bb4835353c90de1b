import { randomBytes } from 'node:crypto'
import { link, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'

/** True if a file system error has one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && codes.includes(code)
}

/**
 * The real path of a folder below a root, created if `make` is set; undefined if it does not exist.
 * @throws TypeError if a symbolic link leads outside the root
 */
export async function realFolder(
  root: string,
  folder: string,
  make = false,
): Promise<string | undefined> {
  if (make) await mkdir(folder, { recursive: true })
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(folder)])
    if (real !== realRoot && !real.startsWith(realRoot + sep)) {
      throw new TypeError('The path leads outside its folder')
    }
    return real
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** Writes a file atomically: readers see either the old or the new content. */
export async function writeAtomically(path: string, data: Uint8Array | string): Promise<void> {
  const temporary = await writeTemporary(path, data)
  try {
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Writes a file only if it does not exist; returns false if it does. */
export async function createAtomically(path: string, data: Uint8Array): Promise<boolean> {
  const temporary = await writeTemporary(path, data)
  try {
    return await linkNew(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Gives a file a second name unless that name is taken; returns false if it is. */
export async function linkNew(path: string, name: string): Promise<boolean> {
  try {
    await link(path, name)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function writeTemporary(path: string, data: Uint8Array | string): Promise<string> {
  const temporary = join(dirname(path), temporaryName(randomBytes(8).toString('hex')))
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(data)
    await file.sync()
  } finally {
    await file.close()
  }
  return temporary
}

/** The name of a temporary file. Listed files never begin with its prefix. */
export function temporaryName(unique: string): string {
  return `.tmp\n${unique}`
}

/** True if a file in a folder is still being written. */
export function isTemporary(name: string): boolean {
  return name.startsWith('.tmp\n')
}

/** Resolves the root to an absolute path. */
export function absoluteRoot(folder: string): string {
  return resolve(folder)
}
