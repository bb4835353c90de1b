import type { Catalog } from '../catalog/catalog.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { ServerMessage } from '../message/v08/messages.ts'
import type { ConversionLog } from './conversion-log.ts'

/** One step between neighbouring families, in both directions. */
export interface ConversionStep {
  readonly forward: (message: JsonObject) => JsonObject[]
  /** An action of the later side for the earlier one; null when it is of no use there. */
  readonly back: (message: JsonObject) => JsonObject | null
}

/** Computes the functions of surfaces: a store that has them. */
export interface FunctionSource {
  /** @throws SurfaceError */
  evaluate(surfaceId: string, value: JsonValue): JsonValue
}

/** Options of a step. */
export interface StepOptions {
  readonly log: ConversionLog
  readonly limits: Readonly<SurfaceLimits>
  readonly catalogs?: readonly Catalog[]
  readonly store?: FunctionSource
}

/** The conversions from and to version 0.9.1 that a subpath supplies for its protocol version. */
export interface InteropParts {
  readonly fromV09: (options: StepOptions) => ConversionStep
  readonly toV09: (options: StepOptions) => ConversionStep
}

/** The members of a message of version 0.8 as JSON. */
export function asJson(messages: readonly ServerMessage[]): JsonObject[] {
  return messages as unknown as JsonObject[]
}
