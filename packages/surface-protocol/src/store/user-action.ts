import { createSystemRuntime } from '@x/wire'
import {
  quote,
  SurfaceError,
  type SurfaceDiagnostic,
  type SurfaceErrorCode,
} from '../diagnostics/errors.ts'
import { isPlainObject, ownValue, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import { parseTimestamp, type UserAction } from '../message/v08/client-message.ts'
import type { Definition } from '../graph/definition.ts'
import type { Instance } from '../tree/instance.ts'
import { readBinding } from '../graph/plan.ts'
import { resolveBinding } from '../tree/resolve.ts'
import type { ClientMessageV09 } from '../message/v09/messages-v09.ts'
import { orSurfaceError } from '../functions/evaluation-error.ts'
import { createAction, eventOf } from './action-v09.ts'
import { readSentAction } from './read-submission.ts'
import type { StoreSettings } from './state.ts'
import {
  stateOfStore,
  type AnySurfaceStore,
  type SurfaceStore,
  type SurfaceStoreV09,
  type SurfaceStoreV1,
} from './store.ts'
import { ensureTree, type Surface } from './surface.ts'

/** The instance that acts, and the time. */
export interface CreateUserActionOptions {
  readonly surfaceId: string
  /** Id of the instance in the tree. */
  readonly nodeId: string
  /** Default: the system time. */
  readonly now?: Date
}

/**
 * The message a client sends when the user acts on an instance.
 * @throws SurfaceError `surface_not_found`, `component_not_found`, `not_actionable`, or an evaluation error
 * of its context
 */
export function createUserAction(
  store: SurfaceStoreV09 | SurfaceStoreV1,
  options: CreateUserActionOptions,
): ClientMessageV09
export function createUserAction(
  store: SurfaceStore,
  options: CreateUserActionOptions,
): { userAction: UserAction }
export function createUserAction(
  store: AnySurfaceStore,
  options: CreateUserActionOptions,
): ClientMessageV09 | { userAction: UserAction } {
  const { surfaceId, nodeId, now = createSystemRuntime().now() } = options
  const fail = (code: SurfaceErrorCode, detail: string, componentId?: string): SurfaceError =>
    new SurfaceError({ code, detail, surfaceId, componentId })
  const { surfaces, settings } = stateOfStore(store)
  const surface = surfaces.get(surfaceId)
  if (surface === undefined) throw fail('surface_not_found', 'There is no such surface.')
  const instance = ensureTree(surface, settings)?.find(nodeId)
  if (instance === undefined) {
    throw fail('component_not_found', `The tree has no node ${quote(nodeId)}.`)
  }
  const { componentId } = instance
  const { family, version } = settings.dialect
  if (family !== '0.8') {
    const timestamp = now.toISOString()
    const action = orSurfaceError(surfaceId, () =>
      createAction(surface, instance, { settings, timestamp }),
    )
    if (action !== null) return { version: `v${version}`, action } as ClientMessageV09
  }
  const action = actionOf(instance.definition)
  if (action === null) {
    const detail = `The component ${quote(componentId)} has no action.`
    throw fail('not_actionable', detail, componentId)
  }
  const context: JsonObject = {}
  for (const { key, value } of action.context) {
    setOwn(context, key, contextValue(value, { surface, instance, mode: settings.pathMode }))
  }
  const timestamp = now.toISOString()
  return {
    userAction: {
      name: action.name,
      surfaceId,
      sourceComponentId: componentId,
      timestamp,
      context,
    },
  }
}

/** Limits for timestamps. */
export interface CheckUserActionOptions {
  /** Maximum difference of a timestamp from `now`, in milliseconds. Default: unlimited. */
  readonly maxSkewMs?: number
  /** Default: the system time. */
  readonly now?: Date
}

/**
 * Problems of an action for the surface it names. The context's values come from the user and are
 * not validated. Takes `{userAction}`, its content, or `{version, action}` for a store of any version. Never throws.
 */
export function checkUserAction(
  store: AnySurfaceStore,
  message: unknown,
  options: CheckUserActionOptions = {},
): SurfaceDiagnostic[] {
  const { surfaces, settings } = stateOfStore(store)
  const { dialect } = settings
  const { envelope, action } = readSentAction(message, dialect)
  const checked = dialect.validateClientMessage(envelope)
  const foreign = checked.diagnostics.filter(({ code }) => code === 'unsupported_version')
  if (foreign.length > 0 || action === null)
    return foreign.length > 0 ? foreign : checked.diagnostics
  const { surfaceId, sourceComponentId, name } = action
  const found: SurfaceDiagnostic[] = []
  const key = dialect.family === '0.8' ? 'userAction' : 'action'
  const add = (code: SurfaceErrorCode, field: string, text: string): void => {
    const path = `/${key}/${field}`
    const ids = typeof surfaceId === 'string' ? { surfaceId } : {}
    found.push({ code, severity: 'error', message: text, path, ...ids })
  }
  checkTime(action, options, add)
  const surface = surfaces.get(surfaceId as string)
  if (surface === undefined) {
    add('surface_not_found', 'surfaceId', 'There is no such surface.')
    return found
  }
  const definition =
    surface.graph.definitions.get(sourceComponentId as string) ??
    ensureTree(surface, settings)?.find(sourceComponentId as string)?.definition
  if (definition === undefined) {
    add('component_not_found', 'sourceComponentId', 'The surface has no such component.')
    return found
  }
  const declared = declaredBy(definition, settings)
  if (declared === null) add('not_actionable', 'sourceComponentId', 'The component has no action.')
  else if (declared.name !== name)
    add('action_not_declared', 'name', 'The component has another action.')
  else checkContext(action, declared.keys, add)
  return found
}

/** The name and the context keys of a component's action; null if it has none. */
function declaredBy(
  definition: Definition | null,
  { dialect, evaluator }: StoreSettings,
): { readonly name: string; readonly keys: readonly string[] } | null {
  if (dialect.family === '0.8') {
    const action = actionOf(definition)
    return action && { name: action.name, keys: action.context.map(({ key }) => key) }
  }
  const event = eventOf(definition, evaluator?.syntax)
  return event && { name: event.name, keys: Object.keys(event.context) }
}

type Fields = Readonly<Record<string, unknown>>

type Add = (code: SurfaceErrorCode, field: string, message: string) => void

function checkTime(action: Fields, options: CheckUserActionOptions, add: Add): void {
  const { maxSkewMs, now } = options
  if (maxSkewMs === undefined) return
  const { timestamp } = action
  const time = typeof timestamp === 'string' ? parseTimestamp(timestamp) : timestamp
  const present = (now ?? createSystemRuntime().now()).getTime()
  if (typeof time !== 'number' || !(Math.abs(time - present) <= maxSkewMs)) {
    add('invalid_value', 'timestamp', `The timestamp is more than ${maxSkewMs} ms away.`)
  }
}

function checkContext({ context }: Fields, declared: readonly string[], add: Add): void {
  const sent = new Set(isPlainObject(context) ? Object.keys(context) : [])
  const expected = new Set(declared)
  for (const key of expected) {
    if (!sent.has(key)) add('context_mismatch', 'context', `The key ${quote(key)} is missing.`)
  }
  for (const key of sent) {
    if (!expected.has(key)) {
      add('context_mismatch', 'context', `The action does not declare the key ${quote(key)}.`)
    }
  }
}

interface DeclaredAction {
  readonly name: string
  readonly context: readonly { readonly key: string; readonly value: JsonValue }[]
}

/** The action declared by a component; null if it has none. */
function actionOf(definition: Definition | null): DeclaredAction | null {
  const action = definition === null ? undefined : ownValue(definition.properties, 'action')
  if (!isPlainObject(action) || typeof action.name !== 'string') return null
  const context = Array.isArray(action.context) ? (action.context as JsonValue[]) : []
  const entries = context.flatMap((entry) =>
    isPlainObject(entry) && typeof entry.key === 'string'
      ? [{ key: entry.key, value: entry.value ?? null }]
      : [],
  )
  return { name: action.name, context: entries }
}

/** A context value in the scope of the instance; null if absent. */
function contextValue(
  value: JsonValue,
  place: { surface: Surface; instance: Instance; mode: 'compatible' | 'pointer' },
): JsonValue {
  const { surface, instance, mode } = place
  const { scope, componentId } = instance
  const { data, graph } = surface
  const binding = readBinding(value, 'any', [])
  const context = {
    root: data.root,
    scope,
    mode,
    graph,
    componentId,
    warnings: [],
    evaluator: null,
    owner: { surfaceId: surface.id, catalogId: surface.catalogId },
    positions: new Map(),
  }
  const resolved = resolveBinding(binding, context)
  // Actions do not initialise data, so the literal always applies.
  return resolved === null && binding.literal !== undefined ? binding.literal : resolved
}
