import type { Definition } from '../../graph/definition.ts'
import { cloneJson, setOwn } from '../../json.ts'
import type { ComponentInstance } from './messages.ts'

/** The component as a message carries it; a copy. */
export function toInstance(definition: Definition): ComponentInstance {
  const component = {}
  setOwn(component, definition.type, cloneJson(definition.properties))
  const { id, weight } = definition
  return weight === undefined ? { id, component } : { id, component, weight }
}
