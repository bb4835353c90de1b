import type { SortableOption } from '../define/field.ts'
import type { NodeTemplate } from '../../graph/flow/node-json.ts'

/** The one operation chosen in a list of operations; null when none or several are. */
export function chosenOperation(chosen: readonly SortableOption[]): string | null {
  const [first, ...others] = chosen
  return first === undefined || others.length > 0 || first.name === '' ? null : first.name
}

/** The same from the value the editor sends. */
export function chosenInEditor(value: unknown): string | null {
  const items = (Array.isArray(value) ? value : []).flatMap((item: unknown) => {
    const name = typeof item === 'object' && item !== null ? Reflect.get(item, 'name') : item
    return typeof name === 'string' ? [{ name }] : []
  })
  return chosenOperation(items)
}

/** Shows the fields that belong to the chosen operation and hides those of all others. */
export function showFieldsOf(
  template: NodeTemplate,
  operation: string | null,
  fieldsOf: ReadonlyMap<string, readonly string[]>,
): void {
  const shown = new Set(operation === null ? [] : fieldsOf.get(operation))
  for (const name of [...fieldsOf.values()].flat()) {
    const field = Object.hasOwn(template, name) ? template[name] : undefined
    if (field !== undefined) field.show = shown.has(name)
  }
}
