import { protocolParts, type Protocol } from '../data/version.ts'
import type { JsonObject } from '../json.ts'
import type { ValidateMessageOptions } from './validate-options.ts'
import type { ValidationResult } from './validation-result.ts'

/** The message checks that a subpath supplies for its protocol version. */
export interface MessageParts {
  /** Checks a message to the client on its own. */
  validateMessage(value: unknown, options: ValidateMessageOptions): ValidationResult<JsonObject>
  /** Checks a message of the client. */
  validateClientMessage(value: unknown): ValidationResult<JsonObject>
}

/** The checks of a protocol of a subpath. */
export function messagePartsOf(protocol: Protocol): MessageParts {
  return (protocolParts(protocol) as { readonly message: MessageParts }).message
}
