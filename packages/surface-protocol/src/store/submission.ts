import { createSystemRuntime } from '@x/wire'
import { overlaps, readDataPath } from '../data/data-path.ts'
import { DataModel } from '../data/data-model.ts'
import {
  fromJson,
  mapFromJson,
  mapToJson,
  toJson,
  valueAt,
  type DataMap,
} from '../data/data-value.ts'
import { quote, type SurfaceDiagnostic, type SurfaceErrorCode } from '../diagnostics/errors.ts'
import { pathLocation, type EvaluationPlace } from '../functions/evaluate.ts'
import { plainSyntax, type ValueSyntax } from '../functions/value-syntax.ts'
import { EvaluationError } from '../functions/evaluation-error.ts'
import { planOf } from '../graph/plan.ts'
import {
  equalJson,
  formatPointer,
  isPlainObject,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../json.ts'
import {
  parseTimestamp,
  type ClientMessage,
  type UserAction,
} from '../message/v08/client-message.ts'
import type { ActionV09, ClientMessageV09 } from '../message/v09/messages-v09.ts'
import type { Instance } from '../tree/instance.ts'
import { eventOf, type DeclaredEvent } from './action-v09.ts'
import { itemsOf, readSentAction } from './read-submission.ts'
import { checkUserAction } from './user-action.ts'
import { failuresOf, instancesOver } from './checks.ts'
import { stateOfStore, type AnySurfaceStore } from './store.ts'
import { ensureTree, type Surface } from './surface.ts'
import type { StoreSettings } from './state.ts'

/** Options for validating a submission. */
export interface ValidateSubmissionOptions {
  /** The data model reported by the client; replaces the server's. */
  readonly dataModel?: JsonObject
  /**
   * The checks to run: those of the source, also those of inputs read by its context, or those of all
   * inputs. Default: context.
   */
  readonly checks?: 'source' | 'context' | 'surface'
  /** Maximum difference of a timestamp from `now`, in milliseconds. Default: unlimited. */
  readonly maxSkewMs?: number
  /** Default: the system time. */
  readonly now?: Date
}

/** The result of validating a submission. */
export type Submission = {
  /** In the version of the store, with lists where the surface binds lists; null if there are errors. */
  message: ClientMessageV09 | { userAction: UserAction } | null
  /** A copy of the data used for the checks. */
  data: JsonObject
  diagnostics: SurfaceDiagnostic[]
}

/**
 * Validates a client's submission without trusting it: envelope, surface, component, event, context
 * keys, timestamp, computed values, then the checks, on a copy of the data. Takes `{userAction}`, its content, or
 * `{version, action}` for a store of any version; version 0.8 has no checks and no computed values. Other client
 * messages are rejected. The store is not changed. Never throws on invalid input.
 * @throws TypeError for invalid options
 */
export function validateSubmission(
  store: AnySurfaceStore,
  message: unknown,
  options: ValidateSubmissionOptions = {},
): Submission {
  const { checks = 'context' } = options
  if (!['source', 'context', 'surface'].includes(checks)) {
    throw new TypeError('checks must be source, context or surface')
  }
  const { surfaces, settings } = stateOfStore(store)
  const { envelope } = readSentAction(message, settings.dialect)
  const checked = settings.dialect.validateClientMessage(envelope)
  const { diagnostics } = checked
  // The versions with checks have the same action members.
  const read = checked.message as ClientMessageV09 | ClientMessage | null
  if (read === null) return { message: null, data: {}, diagnostics }
  if ('userAction' in read) return submissionV08(store, read, options)
  if (!('action' in read)) {
    const finding = { code: 'malformed_message', severity: 'error', path: '' } as const
    const problem = { ...finding, message: 'A submission is an action.' }
    return { message: null, data: {}, diagnostics: [...diagnostics, problem] }
  }
  const check = new SubmissionCheck(read.action, options, settings)
  const surface = surfaces.get(read.action.surfaceId)
  if (surface === undefined) {
    check.add('surface_not_found', 'surfaceId', 'There is no such surface.')
    return { message: null, data: {}, diagnostics: check.diagnostics }
  }
  const root = check.run(surface)
  const isRight = check.diagnostics.every(({ severity }) => severity !== 'error')
  return {
    message: isRight ? read : null,
    data: mapToJson(root),
    diagnostics: check.diagnostics,
  }
}

/** Version 0.8 declares neither checks nor computed values. */
function submissionV08(
  store: AnySurfaceStore,
  read: { userAction: UserAction },
  options: ValidateSubmissionOptions,
): Submission {
  const diagnostics = checkUserAction(store, read, options)
  const { surfaces } = stateOfStore(store)
  const root = surfaces.get(read.userAction.surfaceId)?.data.root ?? new Map()
  const message = diagnostics.length === 0 ? read : null
  return { message, data: options.dataModel ?? mapToJson(root), diagnostics }
}

/** Maximum number of listed failures. */
const MAX_LISTED = 100

class SubmissionCheck {
  readonly diagnostics: SurfaceDiagnostic[] = []
  readonly #action: ActionV09
  readonly #options: ValidateSubmissionOptions
  readonly #settings: StoreSettings
  readonly #syntax: ValueSyntax

  constructor(action: ActionV09, options: ValidateSubmissionOptions, settings: StoreSettings) {
    this.#syntax = settings.evaluator?.syntax ?? plainSyntax
    this.#action = action
    this.#options = options
    this.#settings = settings
  }

  add(
    code: SurfaceErrorCode,
    field: string,
    message: string,
    about: Partial<SurfaceDiagnostic> = {},
  ): void {
    if (this.diagnostics.length >= MAX_LISTED) return
    const { surfaceId } = this.#action
    const path = `/action/${field}`
    this.diagnostics.push({ code, severity: 'error', message, path, surfaceId, ...about })
  }

  /** Validates the action and returns the data used for it. */
  run(surface: Surface): DataMap {
    const { dataModel } = this.#options
    const base = dataModel === undefined ? surface.data.root : readModel(dataModel)
    if (base === null) {
      this.add('limit_exceeded', 'context', 'The data model is too large.', { limit: 'dataDepth' })
      return surface.data.root
    }
    const source = this.#source(surface)
    if (source === null) return base
    const event = this.#event(source)
    if (event === null) return base
    this.#checkKeys(event)
    this.#checkTime()
    if (this.diagnostics.length > 0) return base
    this.#readLists(event, source, { surface, base })
    const data = dataModel === undefined ? this.#written(base, event, source) : base
    this.#checkComputed(event, source, { root: data, surface })
    this.#check(surface, data, { event, source })
    return data
  }

  #source(surface: Surface): Instance | null {
    const { sourceComponentId: id } = this.#action
    const tree = ensureTree(surface, this.#settings)
    const found = tree?.find(id) ?? tree?.instances().find(({ componentId }) => componentId === id)
    if (found !== undefined) return found
    this.add('component_not_found', 'sourceComponentId', 'The surface has no such component.')
    return null
  }

  #event({ definition }: Instance): DeclaredEvent | null {
    const event = eventOf(definition, this.#syntax)
    if (event === null) {
      this.add('not_actionable', 'sourceComponentId', 'The component declares no event.')
      return null
    }
    if (event.name === this.#action.name) return event
    this.add('action_not_declared', 'name', 'The component declares another event.')
    return null
  }

  #checkKeys({ context }: DeclaredEvent): void {
    const sent = this.#action.context
    for (const key of Object.keys(context)) {
      if (Object.hasOwn(sent, key)) continue
      this.add('context_mismatch', 'context', `The key ${quote(key)} is missing.`)
    }
    for (const key of Object.keys(sent)) {
      if (Object.hasOwn(context, key)) continue
      this.add('context_mismatch', 'context', `The event does not declare the key ${quote(key)}.`)
    }
  }

  #checkTime(): void {
    const { maxSkewMs, now } = this.#options
    if (maxSkewMs === undefined) return
    const time = parseTimestamp(this.#action.timestamp)
    const present = (now ?? createSystemRuntime().now()).getTime()
    if (time === null || Math.abs(time - present) > maxSkewMs) {
      this.add('invalid_value', 'timestamp', `The timestamp is more than ${maxSkewMs} ms away.`)
    }
  }

  /**
   * Clients of version 0.8 send maps where a surface binds a list: decimal keys are positions, an empty map is one the
   * user left as it was.
   */
  #readLists(
    { context }: DeclaredEvent,
    { scope }: Instance,
    { surface, base }: { readonly surface: Surface; readonly base: DataMap },
  ): void {
    const sent = this.#action.context
    for (const key of Object.keys(context)) {
      const value = sent[key]
      const text = this.#syntax.pathOf(context[key])
      const path = text === undefined ? null : readDataPath(text)
      const items = isPlainObject(value) ? itemsOf(value) : null
      if (path === null || items === null) continue
      const location = pathLocation(path, scope.segments)
      const known = valueAt(base, location)
      if (!Array.isArray(known) && !this.#bindsList(surface, location)) continue
      setOwn(sent, key, items.length > 0 || known === undefined ? items : toJson(known))
    }
  }

  /** Returns whether an input writes a list at a location. */
  #bindsList(surface: Surface, location: readonly string[]): boolean {
    const wanted = formatPointer(location)
    const instances = ensureTree(surface, this.#settings)?.instances() ?? []
    return instances.some(
      ({ definition, scope }) =>
        definition !== null &&
        planOf(definition).bindings.some(({ dynamic }) => {
          const bound = dynamic?.kind === 'dStrings' ? dynamic.bound : null
          return bound !== null && formatPointer(pathLocation(bound, scope.segments)) === wanted
        }),
    )
  }

  /** A copy of the data with the client's values written where the context reads them. */
  #written(base: DataMap, { context }: DeclaredEvent, { scope }: Instance): DataMap {
    const model = new DataModel()
    model.replace(mapFromJson(mapToJson(base)))
    for (const key of Object.keys(context)) {
      const text = this.#syntax.pathOf(context[key])
      const path = text === undefined ? null : readDataPath(text)
      if (path === null) continue
      const location = pathLocation(path, scope.segments)
      const value = this.#action.context[key] ?? null
      const { arrayIndex } = this.#settings.limits
      if (location.length === 0) {
        if (isPlainObject(value)) model.replace(mapFromJson(value))
      } else if (model.place(location, fromJson(value), arrayIndex) !== 'placed') {
        this.add(
          'path_conflict',
          `context/${key}`,
          'The value cannot be used where the context reads it.',
        )
      }
    }
    return model.root
  }

  /** Literals and calls are computed here; the client's values must agree. */
  #checkComputed(
    { context }: DeclaredEvent,
    { scope }: Instance,
    { root, surface }: { root: DataMap; surface: Surface },
  ): void {
    const { id: surfaceId, catalogId } = surface
    const place = { root, scope: scope.segments, surfaceId, catalogId }
    for (const key of Object.keys(context)) {
      const declared = context[key] ?? null
      if (this.#syntax.pathOf(declared) !== undefined) continue
      const computed = this.#computed(declared, place)
      if (equalJson(computed, this.#action.context[key] ?? null)) continue
      this.add('context_mismatch', 'context', `The value of ${quote(key)} is another one.`)
    }
  }

  #computed(value: JsonValue, place: EvaluationPlace): JsonValue {
    try {
      return this.#settings.evaluator?.evaluate(value, place) ?? null
    } catch (error) {
      if (error instanceof EvaluationError) return null
      throw error
    }
  }

  #check(
    surface: Surface,
    root: DataMap,
    { event, source }: { event: DeclaredEvent; source: Instance },
  ): void {
    const { checks = 'context' } = this.#options
    const locations = (values: readonly JsonValue[], scope: readonly string[]) =>
      locationsOf(values, { scope, syntax: this.#syntax })
    const read = locations(Object.values(event.context), source.scope.segments)
    for (const node of instancesOver(surface, root, this.#settings)) {
      const counts =
        node.id === source.id ||
        checks === 'surface' ||
        (checks === 'context' &&
          boundLocations(node, locations).some((one) => read.some((path) => overlaps(one, path))))
      if (!counts) continue
      for (const failure of failuresOf(node, { settings: this.#settings, root, surface })) {
        const { componentId, index, message } = failure
        const severity = failure.severity === 'error' ? 'error' : 'warning'
        const related = [String(index)]
        this.add('check_failed', 'context', message, { componentId, related, severity })
      }
    }
  }
}

/** Converts a reported model to data; null if it is nested too deeply. */
function readModel(value: JsonObject): DataMap | null {
  return isPlainObject(value) ? mapFromJson(value) : null
}

function locationsOf(
  values: readonly JsonValue[],
  { scope, syntax }: { scope: readonly string[]; syntax: ValueSyntax },
): (readonly string[])[] {
  return values.flatMap((value) => {
    const path = syntax.pathOf(value)
    const parsed = path === undefined ? null : readDataPath(path)
    return parsed === null ? [] : [pathLocation(parsed, scope)]
  })
}

/** The location written by an input: that of its bound `value`. */
function boundLocations(
  { definition, scope }: Instance,
  locations: (values: readonly JsonValue[], scope: readonly string[]) => (readonly string[])[],
): (readonly string[])[] {
  const value = definition?.properties.value
  return value === undefined ? [] : locations([value], scope.segments)
}
