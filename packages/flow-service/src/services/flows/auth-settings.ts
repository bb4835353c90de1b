import { refuse } from '../../refusal.ts'
import type { SecretBox } from '../crypto/secret-box.ts'

type Settings = Readonly<Record<string, unknown>>

/** Keys whose values are encrypted and only shown masked. */
const SECRET = ['api_key', 'oauth_client_secret']
/** Maximum characters of the settings as JSON, because each list of projects reads them. */
const MOST = 64 * 1024
/** Replaces a secret in responses; if sent back, the stored secret is kept. */
const MASK = '*******'

/**
 * Converts a project's settings to their stored form: secrets are encrypted; a mask is replaced by the stored
 * secret, or dropped if there is none.
 * @throws Refusal 400 for settings that are too long
 */
export async function sealAuthSettings(
  secrets: SecretBox,
  given: Settings,
  { stored, context }: { stored: Settings | null; context: string },
): Promise<Settings> {
  if (JSON.stringify(given).length > MOST)
    throw refuse(400, `The field auth_settings may have ${MOST} characters`)
  const entries = await Promise.all(
    Object.entries(given).map(async ([key, value]): Promise<[string, unknown][]> => {
      if (!SECRET.includes(key) || value === null) return [[key, value]]
      if (value === MASK) {
        return stored !== null && Object.hasOwn(stored, key) ? [[key, stored[key]]] : []
      }
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return [[key, await secrets.seal(text, context)]]
    }),
  )
  return Object.fromEntries(entries.flat())
}

/** The encrypted entries of a project's settings. */
export function sealedSettings(stored: Settings): (readonly [key: string, sealed: string])[] {
  return Object.entries(stored).flatMap(([key, value]) =>
    SECRET.includes(key) && typeof value === 'string' ? [[key, value] as const] : [],
  )
}

/** Masks the secrets of a project's settings. */
export function maskAuthSettings(stored: Settings | null): Settings | null {
  if (stored === null) return null
  const entries = Object.entries(stored).map(([key, value]) => [
    key,
    SECRET.includes(key) && value !== null ? MASK : value,
  ])
  return Object.fromEntries(entries) as Settings
}
