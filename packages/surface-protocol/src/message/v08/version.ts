import { ownValue } from '../../json.ts'

const LATER_KEYS = ['createSurface', 'updateComponents', 'updateDataModel', 'callFunction']

/** Evidence that a message is not of version 0.8; null if there is none. */
export function findLaterVersion(
  message: Record<string, unknown>,
): { readonly version: string; readonly key: string } | null {
  const version = ownValue(message, 'version')
  if (typeof version === 'string' && version !== 'v0.8' && version !== '0.8') {
    return { version, key: 'version' }
  }
  const key = LATER_KEYS.find((name) => ownValue(message, name) !== undefined)
  return key === undefined ? null : { version: 'v0.9', key }
}
