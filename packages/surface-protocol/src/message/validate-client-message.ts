import { readVersion, type Protocol, type Version } from '../data/version.ts'
import type { JsonObject } from '../json.ts'
import { messagePartsOf } from './protocol-parts.ts'
import { validateClientMessageV08, type ClientMessage } from './v08/client-message.ts'
import { validateClientMessageV09 } from './v09/client-message-v09.ts'
import type { ClientMessageV09 } from './v09/messages-v09.ts'
import type { ValidationResult } from './validation-result.ts'

/** Validates a client message. Default version: 0.8. */
export function validateClientMessage(
  value: unknown,
  options: { readonly version: '0.9' | '0.9.1' },
): ValidationResult<ClientMessageV09>
export function validateClientMessage(
  value: unknown,
  options: { readonly version: Protocol },
): ValidationResult<JsonObject>
export function validateClientMessage(
  value: unknown,
  options?: { readonly version?: Version },
): ValidationResult<ClientMessage>
export function validateClientMessage(
  value: unknown,
  options: { readonly version?: Version } = {},
): ValidationResult<ClientMessage | ClientMessageV09 | JsonObject> {
  const version = readVersion(options.version)
  if (typeof version !== 'string') return messagePartsOf(version).validateClientMessage(value)
  return version === '0.8' ? validateClientMessageV08(value) : validateClientMessageV09(value)
}
