import type { Definition } from '../../graph/definition.ts'
import { cloneJson, setOwn, type JsonObject } from '../../json.ts'
import type { ComponentInstance } from './messages.ts'

/** Copies a component to its message form. */
export function toInstance(definition: Definition): ComponentInstance {
  return instanceWith(definition, cloneJson(definition.properties))
}

/** The message form of a component, to be read only: its properties are those of the store. */
export function sharedInstance(definition: Definition): ComponentInstance {
  return instanceWith(definition, definition.properties)
}

function instanceWith({ id, type, weight }: Definition, properties: JsonObject): ComponentInstance {
  const component = {}
  setOwn(component, type, properties)
  return weight === undefined ? { id, component } : { id, component, weight }
}
