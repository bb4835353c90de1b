import { protocolParts, type Protocol } from '../data/version.ts'
import type { JsonObject } from '../json.ts'
import type { ValidateMessageOptions } from './validate-options.ts'
import type { ValidationResult } from './validation-result.ts'

/** The message validation provided by a protocol version's subpath. */
export interface MessageParts {
  /** Validates a single server message. */
  validateMessage(value: unknown, options: ValidateMessageOptions): ValidationResult<JsonObject>
  /** Validates a client message. */
  validateClientMessage(value: unknown): ValidationResult<JsonObject>
}

/** The validation of a protocol provided by a subpath. */
export function messagePartsOf(protocol: Protocol): MessageParts {
  return (protocolParts(protocol) as { readonly message: MessageParts }).message
}
