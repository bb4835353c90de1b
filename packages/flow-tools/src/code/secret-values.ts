import { isObject, own, ownText } from '@x/wire'
import { nodesOf, titleOf } from './flow-difference.ts'

/** The secret fields of a flow that hold a value, rather than the name of a variable. Never the value. */
export function secretValues(
  flow: unknown,
): { readonly node: string; readonly field: string; readonly message: string }[] {
  return [...nodesOf(flow)].flatMap(([id, node]) =>
    Object.entries(node.template).flatMap(([field, json]) => {
      if (!isObject(json) || !isSecretField(json) || isVariableName(json)) return []
      if ((ownText(json, 'value') ?? '').trim() === '') return []
      const message = `${titleOf(node, id)}: ${field} holds a value. Store it as a variable`
      return [{ node: id, field, message }]
    }),
  )
}

export function isSecretField(field: Readonly<Record<string, unknown>>): boolean {
  return own(field, 'password') === true || own(field, '_input_type') === 'SecretStrInput'
}

/**
 * Whether a secret field holds the name of a variable. A key that was typed where a name belongs is marked as one
 * too, and is told by its form.
 */
export function isVariableName(field: Readonly<Record<string, unknown>>): boolean {
  const value = ownText(field, 'value') ?? ''
  return own(field, 'load_from_db') === true && /^[A-Za-z_][A-Za-z0-9_ ]*$/.test(value)
}
