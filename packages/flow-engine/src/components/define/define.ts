import type { Component, ComponentDefinition } from './component.ts'
import type { Fields } from './field.ts'
import type { OutputDefinition, Outputs } from './output.ts'

/**
 * Checks inputs and outputs against each other and gives the component the engine runs (FE-40).
 * Input and output names are plain strings; `code` and `_type` belong to the wire form and throw a TypeError.
 */
export function defineComponent<I extends Fields, O extends Outputs<I>>(
  definition: ComponentDefinition<I, O>,
): Component {
  for (const reserved of ['code', '_type']) {
    if (Object.hasOwn(definition.inputs, reserved)) {
      throw new TypeError(`${definition.type}: an input cannot be named ${reserved}`)
    }
  }
  const outputs: Record<string, OutputDefinition> = Object.create(null) as Record<string, never>
  for (const [name, declare] of Object.entries(definition.outputs)) outputs[name] = erase(declare())
  const { forNode, ...rest } = definition as ComponentDefinition
  const component: Component = {
    ...rest,
    kind: 'component',
    displayName: definition.displayName ?? definition.type,
    outputs: Object.freeze(outputs),
  }
  if (forNode === undefined) return Object.freeze(component)
  return Object.freeze({
    ...component,
    forNode(details) {
      const further = Object.entries(forNode(details))
      if (further.length === 0) return component
      const added = further.map(([name, declare]) => [name, erase(declare())] as const)
      return Object.freeze({ ...component, outputs: { ...outputs, ...Object.fromEntries(added) } })
    },
  } satisfies Component)
}

/** The boundary where the types of a component's own inputs end: the engine converts by declaration. */
function erase<I extends Fields>(output: OutputDefinition<I>): OutputDefinition {
  const erased: unknown = Object.freeze(output)
  return erased as OutputDefinition
}

export function isComponent(value: unknown): value is Component {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'kind') === 'component'
}
