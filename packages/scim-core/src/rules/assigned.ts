import { isObject } from '@x/wire'
import { invalidValue, quoteValue } from '../base/errors.ts'
import type { ScimDocument } from '../base/document.ts'
import type { ResourceStore } from '../store/resources.ts'
import type { Call, Rules } from './call.ts'

const snapshots = new WeakMap<Call, Map<string, Promise<ResourceStore>>>()

/** The resources of a type as seen by one request: a catalogue is loaded once. */
export function snapshotOf({ config }: Rules, call: Call, name: string): Promise<ResourceStore> {
  const known = snapshots.get(call) ?? new Map<string, Promise<ResourceStore>>()
  snapshots.set(call, known)
  const store = config.types.get(name)?.type.store
  if (store === undefined) throw new TypeError(`There is no resource type ${name}`)
  const made = known.get(name) ?? store.snapshot?.(call.tenant) ?? Promise.resolve(store)
  known.set(name, made)
  return made
}

/**
 * Checks the elements of a user that assign resources of a host's own types: unknown values added by
 * the request are rejected or dropped, as configured for the type.
 * @throws ScimError invalidValue naming the id
 */
export async function checkAssigned(
  rules: Rules,
  call: Call,
  { before, document }: { readonly before: ScimDocument; readonly document: ScimDocument },
): Promise<ScimDocument> {
  let checked = document
  for (const { type } of rules.config.types.values()) {
    const { attribute = '', onUnknown = 'keep' } = type.assignedBy ?? {}
    const elements = listOf(document[attribute])
    if (onUnknown === 'keep' || elements.length === 0) continue
    const held = new Set(listOf(before[attribute]).map(valueOf))
    const added = new Set(elements.map(valueOf).filter((id) => id !== null && !held.has(id)))
    if (added.size === 0) continue
    const store = await snapshotOf(rules, call, type.name)
    const unknown = new Set<string | null>()
    for (const id of added) {
      if (id !== null && (await store.get(call.tenant, id)) === null) unknown.add(id)
    }
    const [first] = unknown
    if (first === undefined) continue
    if (onUnknown === 'reject')
      throw invalidValue(`There is no ${type.name} ${quoteValue(first ?? '')}.`)
    const kept = elements.filter((element) => !unknown.has(valueOf(element)))
    const { [attribute]: _all, ...rest } = checked
    checked = kept.length === 0 ? rest : { ...checked, [attribute]: kept }
  }
  return checked
}

/** Sets `display` of elements that assign a resource and have none. */
export async function fillAssigned(
  rules: Rules,
  call: Call,
  texts: readonly string[],
): Promise<string[]> {
  const types = [...rules.config.types.values()].filter(({ type }) => type.assignedBy)
  return Promise.all(
    texts.map(async (text) => {
      const mine = types.filter(({ type }) =>
        text.includes(`${JSON.stringify(type.assignedBy?.attribute)}:[`),
      )
      if (mine.length === 0) return text
      // The JSON was created by the presenter, so it is an object.
      const resource = JSON.parse(text) as Record<string, unknown>
      for (const { type } of mine) {
        const attribute = type.assignedBy?.attribute ?? ''
        const store = await snapshotOf(rules, call, type.name)
        const elements = listOf(resource[attribute])
        resource[attribute] = await Promise.all(
          elements.map(async (element) => {
            const id = valueOf(element)
            if (!isObject(element) || element['display'] !== undefined || id === null)
              return element
            const record = await store.get(call.tenant, id)
            const data = record === null ? {} : (JSON.parse(record.data) as ScimDocument)
            const display = data['displayName']
            return typeof display === 'string' ? { ...element, display } : element
          }),
        )
      }
      return JSON.stringify(resource)
    }),
  )
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function valueOf(element: unknown): string | null {
  const value = isObject(element) ? element['value'] : undefined
  return typeof value === 'string' ? value : null
}
