import type { Catalog } from '../catalog/catalog.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { ServerMessage } from '../message/v08/messages.ts'
import type { ConversionLog } from './conversion-log.ts'

/** A conversion between neighbouring version families, in both directions. */
export interface ConversionStep {
  readonly forward: (message: JsonObject) => JsonObject[]
  /** Converts an action of the later version to the earlier one; null if it has no equivalent. */
  readonly back: (message: JsonObject) => JsonObject | null
}

/** Evaluates functions of surfaces: a store that contains them. */
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
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** Messages of version 0.8 repeat what they refer to. */
  readonly selfContained?: boolean
}

/** The conversions from and to version 0.9.1 provided by a version's subpath. */
export interface InteropParts {
  readonly fromV09: (options: StepOptions) => ConversionStep
  readonly toV09: (options: StepOptions) => ConversionStep
}

/** Typed as JSON: the members of version 0.8 messages. */
export function asJson(messages: readonly ServerMessage[]): JsonObject[] {
  return messages as unknown as JsonObject[]
}
