import type { Definition } from '../../graph/definition.ts'
import { cloneJson, setOwn } from '../../json.ts'
import type { ComponentInstance } from './messages.ts'

/** Copies a component to its message form. */
export function toInstance(definition: Definition): ComponentInstance {
  const component = {}
  setOwn(component, definition.type, cloneJson(definition.properties))
  const { id, weight } = definition
  return weight === undefined ? { id, component } : { id, component, weight }
}
