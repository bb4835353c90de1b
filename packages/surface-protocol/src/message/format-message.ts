import { familyOf, readVersion, versionNumber, type Family, type Version } from '../data/version.ts'
import { SurfaceError } from '../diagnostics/errors.ts'
import { ownValue } from '../json.ts'
import type { AnyClientMessage, AnyServerMessage } from './any-message.ts'

/**
 * Serialises a message to one line of JSON without a terminator; line breaks of any kind are
 * escaped.
 * @param options.version write this version of the message's family
 * @throws SurfaceError `unsupported_version` for a message of another family
 */
export function formatMessage(
  message: AnyServerMessage | AnyClientMessage,
  options: { readonly version?: Version } = {},
): string {
  const { version } = options
  if (version === undefined) return formatLine(message)
  const family = familyOf(readVersion(version))
  if (familyOfMessage(message) !== family) {
    const detail = `The message is of another version than ${versionNumber(version)}.`
    throw new SurfaceError({ code: 'unsupported_version', detail })
  }
  if (family === '0.8') return formatLine(message)
  return formatLine({ ...message, version: `v${versionNumber(version)}` })
}

function familyOfMessage(message: object): Family {
  const version: unknown = ownValue(message, 'version')
  if (typeof version !== 'string') return '0.8'
  return version.startsWith('v0.9') ? '0.9' : '1.0'
}

/** Serialises any JSON value to one line. */
export function formatLine(value: unknown): string {
  const text = JSON.stringify(value)
  return /[\u2028\u2029]/.test(text)
    ? text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    : text
}
