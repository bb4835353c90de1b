import type { JsonObject } from '../json.ts'
import type { ServerMessage } from '../message/v08/messages.ts'
import type { ConversionDiagnostics } from './conversion-log.ts'
import { createVersionAdapter } from './version-adapter.ts'

/** Converts a sequence of messages of version 0.8. */
export interface V09Adapter {
  push(message: ServerMessage): JsonObject[]
  /** The losses so far. */
  readonly diagnostics: ConversionDiagnostics
}

/** Converts a sequence of messages of version 0.9. */
export interface V08Adapter {
  push(message: unknown): ServerMessage[]
  /** The losses so far. */
  readonly diagnostics: ConversionDiagnostics
}

/** Converts messages of version 0.8 to version 0.9. */
export function createV09Adapter(): V09Adapter {
  return createVersionAdapter({ from: '0.8', to: '0.9' })
}

/** Converts messages of version 0.9 to version 0.8. Invalid messages are reported and skipped. */
export function createV08Adapter(): V08Adapter {
  // It returns messages of version 0.8.
  return createVersionAdapter({ from: '0.9', to: '0.8' }) as unknown as V08Adapter
}

/** Converts a whole list of messages to version 0.9. */
export function convertToV09(messages: Iterable<ServerMessage>): {
  messages: JsonObject[]
  diagnostics: ConversionDiagnostics
} {
  const adapter = createV09Adapter()
  const converted = Array.from(messages, (message) => adapter.push(message)).flat()
  return { messages: converted, diagnostics: adapter.diagnostics }
}

/** Converts a whole list of messages to version 0.8. */
export function convertToV08(messages: Iterable<unknown>): {
  messages: ServerMessage[]
  diagnostics: ConversionDiagnostics
} {
  const adapter = createV08Adapter()
  const converted = Array.from(messages, (message) => adapter.push(message)).flat()
  return { messages: converted, diagnostics: adapter.diagnostics }
}
