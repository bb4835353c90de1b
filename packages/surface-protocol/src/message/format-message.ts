import type { ClientMessage } from './v08/client-message.ts'
import type { ServerMessage } from './v08/messages.ts'

/**
 * One line of JSON without a terminator (SP-46). Line breaks of any kind stand escaped, so the text
 * contains none.
 */
export function formatMessage(message: ServerMessage | ClientMessage): string {
  return formatLine(message)
}

/** The same for any JSON value. */
export function formatLine(value: unknown): string {
  const text = JSON.stringify(value)
  return /[\u2028\u2029]/.test(text)
    ? text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    : text
}
