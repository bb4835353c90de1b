import type { DataMap } from '../data/data-value.ts'
import type { Definition } from '../graph/definition.ts'
import { isPlainObject, ownValue, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import type { ActionV09 } from '../message/v09/messages-v09.ts'
import type { Instance } from '../tree/instance.ts'
import type { StoreSettings } from './store-options.ts'
import type { Surface } from './surface.ts'

/** An event that a component declares: its name, and how each key of its context is found. */
export interface DeclaredEvent {
  readonly name: string
  readonly context: Readonly<Record<string, JsonValue>>
}

/** The event of a component; null when it has none. */
export function eventOf(definition: Definition | null): DeclaredEvent | null {
  const action = definition === null ? undefined : ownValue(definition.properties, 'action')
  const event = isPlainObject(action) ? ownValue(action, 'event') : undefined
  if (!isPlainObject(event) || typeof event.name !== 'string') return null
  const context = isPlainObject(event.context) ? (event.context as JsonObject) : {}
  return { name: event.name, context }
}

/** The action that a client sends for a node; null when its component declares no event. */
export function createAction(
  surface: Surface,
  { definition, componentId, scope }: Instance,
  { settings, timestamp }: { settings: StoreSettings; timestamp: string },
): ActionV09 | null {
  const event = eventOf(definition)
  if (event === null) return null
  const context: JsonObject = {}
  for (const key of Object.keys(event.context)) {
    const place = { root: surface.data.root, scope: scope.segments, surfaceId: surface.id }
    setOwn(context, key, valueOf(event.context[key] ?? null, place, settings))
  }
  return {
    name: event.name,
    surfaceId: surface.id,
    sourceComponentId: componentId,
    timestamp,
    context,
  }
}

function valueOf(
  value: JsonValue,
  place: { root: DataMap; scope: readonly string[]; surfaceId: string },
  { evaluator }: StoreSettings,
): JsonValue {
  return evaluator?.evaluate(value, place) ?? null
}
