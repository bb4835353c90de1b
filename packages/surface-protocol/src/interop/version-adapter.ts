import { checkOptions, type OptionNames } from '../catalog/check-options.ts'
import type { Catalog } from '../catalog/catalog.ts'
import {
  familyOf,
  protocolParts,
  readVersion,
  versionNumber,
  type Version,
} from '../data/version.ts'
import { diagnosticOf, isSurfaceError } from '../diagnostics/errors.ts'
import { resolveLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import { isPlainObject, type JsonObject } from '../json.ts'
import { createConversionLog, isDeeper, type ConversionDiagnostics } from './conversion-log.ts'
import type {
  ConversionStep,
  FunctionSource,
  InteropParts,
  StepOptions,
} from './conversion-step.ts'
import { createV08Steps } from './to-v08.ts'
import { createV09Steps } from './to-v09.ts'

/** Options of an adapter. */
export interface VersionAdapterOptions {
  readonly from: Version
  readonly to: Version
  /**
   * Catalogs of the messages, used to distinguish references from strings. Default: those of the version.
   */
  readonly catalogs?: readonly Catalog[]
  /** Alternative catalog ids, mapped to known ones. */
  readonly catalogAliases?: Readonly<Record<string, string>>
  /** A store with the source's surfaces: functions are replaced by their values. */
  readonly store?: FunctionSource
  readonly limits?: Partial<SurfaceLimits>
}

const optionNames: OptionNames<VersionAdapterOptions> = {
  from: true,
  to: true,
  catalogs: true,
  catalogAliases: true,
  store: true,
  limits: true,
}

/** Converts a sequence of messages. */
export interface VersionAdapter {
  /**
   * Converts a message from version `from` to version `to`; a client's action is converted back to `from`.
   * Never throws on invalid input.
   */
  push(message: unknown): JsonObject[]
  /** The losses so far. */
  readonly diagnostics: ConversionDiagnostics
}

/**
 * Converts between any two versions, through 0.9.1. Losses are reported once per component and
 * kind. With `store`, messages of version 0.8 are self-contained.
 * @throws TypeError for an unknown version
 */
export function createVersionAdapter(options: VersionAdapterOptions): VersionAdapter {
  checkOptions('createVersionAdapter', options, optionNames)
  return createAdapter(options, options.store !== undefined)
}

/** The same; `selfContained`: messages of version 0.8 repeat what they refer to. */
export function createAdapter(
  options: VersionAdapterOptions,
  selfContained: boolean,
): VersionAdapter {
  const from = readVersion(options.from)
  const to = readVersion(options.to)
  const limits = resolveLimits(options.limits)
  const log = createConversionLog(limits)
  const steps = stepsBetween(from, to, { ...options, log, limits, selfContained })
  return {
    diagnostics: log.diagnostics,
    push(message) {
      if (!isPlainObject(message)) return []
      if (isDeeper(message, limits.jsonDepth)) {
        log.exceeds('jsonDepth')
        return []
      }
      try {
        const isAction = 'action' in message || 'userAction' in message
        return isAction
          ? back(message as JsonObject, steps, from)
          : forward(message as JsonObject, steps, to)
      } catch (error) {
        if (!isSurfaceError(error)) throw error
        log.note({ ...diagnosticOf(error), severity: 'warning' })
        return []
      }
    },
  }
}

function stepsBetween(from: Version, to: Version, options: StepOptions): ConversionStep[] {
  const steps: ConversionStep[] = []
  const first = familyOf(from)
  const last = familyOf(to)
  if (first === last) return steps
  // The store only has the surfaces of the source.
  const { store: _, ...later } = options
  if (first === '0.8') steps.push(createV09Steps(options))
  else if (first === '1.0') steps.push(partsOf(from).toV09(options))
  const second = steps.length === 0 ? options : later
  if (last === '0.8') steps.push(createV08Steps(second))
  else if (last === '1.0') steps.push(partsOf(to).fromV09(second))
  return steps
}

function partsOf(version: Version): InteropParts {
  return (protocolParts(version) as { readonly interop: InteropParts }).interop
}

function forward(message: JsonObject, steps: readonly ConversionStep[], to: Version): JsonObject[] {
  let messages = [message]
  for (const step of steps) messages = messages.flatMap((one) => step.forward(one))
  return messages.map((one) => withVersion(one, to))
}

function back(message: JsonObject, steps: readonly ConversionStep[], from: Version): JsonObject[] {
  let found: JsonObject | null = message
  for (const step of steps.toReversed()) found = found === null ? null : step.back(found)
  return found === null ? [] : [withVersion(found, from)]
}

/** Sets the version number of a message. */
function withVersion(message: JsonObject, version: Version): JsonObject {
  return version === '0.8' ? message : { ...message, version: `v${versionNumber(version)}` }
}
