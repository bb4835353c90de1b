import type { SortableOption } from '@x/flow-engine'
import type { NodeTemplate } from '@x/flow-engine'

/** Returns the selected operation; null if none or several are selected. */
export function chosenOperation(chosen: readonly SortableOption[]): string | null {
  const [first, ...others] = chosen
  return first === undefined || others.length > 0 || first.name === '' ? null : first.name
}

/** Reads the selected operation from a value sent by the editor. */
export function chosenInEditor(value: unknown): string | null {
  const items = (Array.isArray(value) ? value : []).flatMap((item: unknown) => {
    const name = typeof item === 'object' && item !== null ? Reflect.get(item, 'name') : item
    return typeof name === 'string' ? [{ name }] : []
  })
  return chosenOperation(items)
}

/** Shows the fields of the selected operation and hides those of all other operations. */
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
