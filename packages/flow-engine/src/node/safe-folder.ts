import { randomBytes } from 'node:crypto'
import { link, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'

/** Tells whether an error of the file system has one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && codes.includes(code)
}

/**
 * The real folder of a path below a root, made when `make` is set; undefined where it is missing.
 * @throws TypeError when a link leads out of the root
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
      throw new TypeError('The path leads out of its folder')
    }
    return real
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** Writes a file as a whole: readers see the old bytes or the new ones. */
export async function writeAtomically(path: string, data: Uint8Array | string): Promise<void> {
  const temporary = await writeTemporary(path, data)
  try {
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Writes a file only if it does not exist; false if it does. */
export async function createAtomically(path: string, data: Uint8Array): Promise<boolean> {
  const temporary = await writeTemporary(path, data)
  try {
    await link(temporary, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(temporary, { force: true })
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

/** The name of a file that is only there for a while. No listed file begins like it. */
export function temporaryName(unique: string): string {
  return `.tmp\n${unique}`
}

/** Tells whether a name in a folder is a file that is still being written. */
export function isTemporary(name: string): boolean {
  return name.startsWith('.tmp\n')
}

/** An absolute root. */
export function absoluteRoot(folder: string): string {
  return resolve(folder)
}
