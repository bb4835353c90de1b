import { toText } from '../functions/truth.ts'
import { plainSyntax, type ValueSyntax } from '../functions/value-syntax.ts'
import type { Definition } from '../graph/definition.ts'
import { isPlainObject, ownValue, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import type { ActionV09 } from '../message/v09/messages-v09.ts'
import type { Instance } from '../tree/instance.ts'
import type { Surface } from './surface.ts'
import type { StoreSettings } from './state.ts'

/** An event declared by a component: its name, and the source of each context key. */
export interface DeclaredEvent {
  readonly name: string
  readonly context: Readonly<Record<string, JsonValue>>
  /** A description of the action in words (1.0). */
  readonly userMessage: JsonValue | undefined
}

/** The event of a component; null if it has none. */
export function eventOf(
  definition: Definition | null,
  syntax: ValueSyntax = plainSyntax,
): DeclaredEvent | null {
  const action = definition === null ? undefined : ownValue(definition.properties, 'action')
  const event = isPlainObject(action) ? ownValue(action, 'event') : undefined
  if (!isPlainObject(event) || typeof event.name !== 'string') return null
  const context: JsonObject = {}
  const declared = isPlainObject(event.context) ? (event.context as JsonObject) : {}
  for (const key of Object.keys(declared)) setOwn(context, syntax.keyOf(key), declared[key])
  const userMessage = ownValue(event, 'userMessage') as JsonValue | undefined
  return { name: event.name, context, userMessage }
}

/** The action a client sends for a node; null if its component declares no event. */
export function createAction(
  surface: Surface,
  { definition, componentId, scope }: Instance,
  { settings, timestamp }: { settings: StoreSettings; timestamp: string },
): (ActionV09 & { userMessage?: string }) | null {
  const { evaluator } = settings
  const event = evaluator === null ? null : eventOf(definition, evaluator.syntax)
  if (event === null || evaluator === null) return null
  const { id: surfaceId, catalogId, data } = surface
  const place = { root: data.root, scope: scope.segments, surfaceId, catalogId }
  const context: JsonObject = {}
  for (const key of Object.keys(event.context)) {
    const value = evaluator.evaluate(event.context[key] ?? null, place) ?? null
    setOwn(context, key, value)
  }
  const { userMessage } = event
  const said =
    userMessage === undefined ? {} : { userMessage: toText(evaluator.evaluate(userMessage, place)) }
  return {
    name: event.name,
    surfaceId,
    sourceComponentId: componentId,
    timestamp,
    context,
    ...said,
  }
}
