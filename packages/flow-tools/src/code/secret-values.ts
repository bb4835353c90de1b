import type { NodeEntry } from '@x/flow-engine/internal'
import { isObject, own, ownText } from '@x/wire'
import { nodesOf, titleOf } from './flow-difference.ts'

/** The secret fields of a flow that hold a value, rather than the name of a variable. Never the value. */
export function secretValues(
  flow: unknown,
): { readonly node: string; readonly field: string; readonly message: string }[] {
  return secretFields(flow).map(({ id, node, name }) => {
    const message = `${titleOf(node, id)}: ${name} holds a value. Store it as a variable`
    return { node: id, field: name, message }
  })
}

/** A secret field that holds a value. */
interface SecretField {
  readonly id: string
  readonly node: NodeEntry
  readonly name: string
  readonly value: string
}

/** Those of nodes, and of the nodes of groups. */
export function secretFields(flow: unknown): SecretField[] {
  return [...nodesOf(flow)].flatMap(([id, node]) => {
    const fields = Object.entries(node.template).flatMap(([name, field]) => {
      if (!isObject(field) || !isSecretField(field) || isVariableName(field)) return []
      const value = ownText(field, 'value') ?? ''
      return value.trim() === '' ? [] : [{ id, node, name, value }]
    })
    return [...fields, ...secretFields(own(node.details, 'flow'))]
  })
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
