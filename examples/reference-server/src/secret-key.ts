import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingsError } from './settings/read-settings.ts'

/**
 * The key that signs tokens: the given one, else the one in the configuration folder (file `secret_key`,
 * mode 0600), which is generated on the first start.
 * @throws SettingsError if the given key has fewer than 32 characters
 */
export function readSecretKey(given: string | undefined, folder: string): string {
  if (given !== undefined) {
    if (given.length < 32)
      throw new SettingsError('SERVICE_SECRET_KEY must have at least 32 characters')
    return given
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'secret_key')
  try {
    // `wx`: of two concurrent processes, one creates the key and the other reads it.
    writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(path, 'utf8').trim()
}
