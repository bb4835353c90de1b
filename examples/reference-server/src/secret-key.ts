import { randomBytes, randomUUID } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { SettingsError, type Settings } from './settings/read-settings.ts'

/**
 * The key that signs tokens: the given one, else the one in the configuration folder (file `secret_key`,
 * mode 0600), which is generated on the first start.
 * @throws SettingsError if the given key has fewer than 32 characters, or the file is empty
 */
export function readSecretKey(given: string | undefined, folder: string): string {
  if (given !== undefined) {
    if (given.length < 32)
      throw new SettingsError(
        'SERVICE_SECRET_KEY must have at least 32 characters; generate one with: openssl rand -base64 32',
      )
    return given
  }
  prepareFolder(folder)
  const path = join(folder, 'secret_key')
  if (!existsSync(path)) create(path, randomBytes(32).toString('base64url'))
  const key = readFileSync(path, 'utf8').trim()
  if (key === '')
    throw new SettingsError(
      `The key file ${path} is empty. Restore the key of this installation, or delete the file to generate a new one; stored secrets then have to be entered again.`,
    )
  return key
}

/**
 * The secret keys, the current one first, then those of SERVICE_SECRET_KEY_PREVIOUS.
 * @throws SettingsError if one is too short, or there are more than three earlier ones
 */
export function readSecretKeys(
  settings: Pick<Settings, 'SERVICE_SECRET_KEY' | 'SERVICE_SECRET_KEY_PREVIOUS'>,
  folder: string,
): readonly string[] {
  return [readSecretKey(settings.SERVICE_SECRET_KEY, folder), ...previousKeys(settings)]
}

/** @throws SettingsError */
export function previousKeys({
  SERVICE_SECRET_KEY_PREVIOUS: text = '',
}: Pick<Settings, 'SERVICE_SECRET_KEY_PREVIOUS'>): string[] {
  const keys = text.split(',').map((key) => key.trim())
  const given = keys.filter((key) => key !== '')
  if (given.length > 3 || given.some((key) => key.length < 32))
    throw new SettingsError(
      'SERVICE_SECRET_KEY_PREVIOUS must have at most 3 keys of at least 32 characters, separated by commas',
    )
  return given
}

/** @throws SettingsError if the folder cannot be created or written */
function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SettingsError(
      `SERVICE_CONFIG_DIR: the folder ${folder} cannot be written (${code}). Set it to one that the user of this process may write`,
      { cause: error },
    )
  }
}

/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EMLINK'])

/**
 * Creates the file unless it exists. Links a finished temporary file, so the key file never exists without
 * its content: of two servers starting at the same time, neither can read an empty key.
 */
function create(path: string, content: string): void {
  const draft = `${path}.${randomUUID()}`
  const options = { mode: 0o600, flag: 'wx' }
  try {
    writeFileSync(draft, content, options)
    unlessExists(() => linkSync(draft, path))
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error
    unlessExists(() => writeFileSync(path, content, options))
  } finally {
    rmSync(draft, { force: true })
  }
}

function unlessExists(write: () => void): void {
  try {
    write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
