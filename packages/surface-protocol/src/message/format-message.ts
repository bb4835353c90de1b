import { readVersion, type VersionName } from '../data/version.ts'
import { SurfaceError } from '../diagnostics/errors.ts'
import type { AnyClientMessage, AnyServerMessage } from './any-message.ts'

/**
 * One line of JSON without a terminator (SP-46). Line breaks of any kind stand escaped, so the text
 * contains none.
 * @param options.version writes this version of the family of the message
 * @throws SurfaceError `unsupported_version` for a message of another family
 */
export function formatMessage(
  message: AnyServerMessage | AnyClientMessage,
  options: { readonly version?: VersionName } = {},
): string {
  const { version } = options
  if (version === undefined) return formatLine(message)
  const isV08 = !('version' in message)
  if ((readVersion(version) === '0.8') !== isV08) {
    const detail = `The message is of another version than ${version}.`
    throw new SurfaceError({ code: 'unsupported_version', detail })
  }
  return formatLine(isV08 ? message : { ...message, version: `v${version}` })
}

/** The same for any JSON value. */
export function formatLine(value: unknown): string {
  const text = JSON.stringify(value)
  return /[\u2028\u2029]/.test(text)
    ? text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    : text
}
