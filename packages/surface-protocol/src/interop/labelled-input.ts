import { defined, type JsonObject } from '../json.ts'
import type { DistinctIds } from '../message/v08/distinct-ids.ts'
import type { ComponentInstance } from '../message/v08/messages.ts'

/** An input behind its label, in a column that takes its place and its weight. */
export function grouped(
  { weight, ...input }: ComponentInstance,
  {
    label,
    group,
    ids,
  }: { readonly label: JsonObject; readonly group: string; readonly ids: DistinctIds },
): ComponentInstance[] {
  const text = freeId(`${input.id}_label`, ids)
  const children = { explicitList: [text, input.id] }
  return [
    { id: group, component: { Column: { children } }, ...defined({ weight }) },
    { id: text, component: { Text: { text: label, usageHint: 'caption' } } },
    input,
  ]
}

/** An id that no component of another origin has. */
export function freeId(id: string, { known }: DistinctIds): string {
  const isLabel = (found: ComponentInstance | undefined): boolean =>
    found === undefined || 'Text' in found.component
  let name = id
  while (id.endsWith('_label') ? !isLabel(known.get(name)) : known.has(name)) name += '_'
  return name
}
