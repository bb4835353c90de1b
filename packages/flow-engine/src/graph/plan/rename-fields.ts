import type { Component } from '../../components/define/component.ts'
import { formerFields } from '../../components/registry/former-fields.ts'
import type { FlatNode } from '../flow/expand-groups.ts'
import { own, ownObject, type PlainObject } from '@x/wire'

/** The node with the present names of its fields: a former name counts where the present one is absent. */
export function withPresentNames(node: FlatNode, component: Component): FlatNode {
  if (component.sandboxed === true) return node
  const renamed = new Map<string, string>()
  const changed = new Map<string, PlainObject>()
  for (const [former, present] of formerFields(component.type)) {
    const field = single(ownObject(node.template, former))
    if (field === undefined || Object.hasOwn(node.template, present)) continue
    renamed.set(former, present)
    changed.set(former, field)
  }
  if (renamed.size === 0) return node
  const rename = (name: string): string => renamed.get(name) ?? name
  const fields = Object.entries(node.template).map(
    ([name, field]) => [rename(name), changed.get(name) ?? field] as const,
  )
  const template = Object.fromEntries(fields)
  const overrides = new Map([...node.overrides].map(([name, value]) => [rename(name), value]))
  return { ...node, renamed, template, details: { ...node.details, template }, overrides }
}

/** A former list is its only item today; of several nothing is taken. */
function single(field: PlainObject | undefined): PlainObject | undefined {
  const value = own(field ?? {}, 'value')
  if (field === undefined || !Array.isArray(value)) return field
  return value.length > 1 ? undefined : { ...field, list: false, value: value[0] ?? '' }
}
