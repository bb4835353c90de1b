import type { Component, ComponentDefinition } from './component.ts'
import type { Fields } from './field.ts'
import type { OutputDefinition, Outputs, TypedOutput } from './output.ts'

/**
 * Validates inputs and outputs and creates the component that the engine runs.
 * @throws TypeError for an input named `code` or `_type`, which the wire format reserves
 */
export function defineComponent<I extends Fields, O extends Outputs<I>>(
  definition: ComponentDefinition<I, O>,
): Component<I, DeclaredOutputs<O>> {
  for (const reserved of ['code', '_type']) {
    if (Object.hasOwn(definition.inputs, reserved)) {
      throw new TypeError(`${definition.type}: an input cannot be named ${reserved}`)
    }
  }
  const outputs: Record<string, OutputDefinition> = Object.create(null) as Record<string, never>
  for (const [name, declare] of Object.entries(definition.outputs)) outputs[name] = erase(declare())
  const { forNode, ...rest } = definition as ComponentDefinition
  const component: Component<I, DeclaredOutputs<O>> = {
    ...rest,
    kind: 'component',
    displayName: definition.displayName ?? definition.type,
    inputs: definition.inputs,
    outputs: Object.freeze(outputs) as DeclaredOutputs<O>,
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

/** The declared outputs with their value and handle types; input types are erased. */
type DeclaredOutputs<O> = {
  readonly [K in keyof O]: OutputDefinition &
    (O[K] extends () => TypedOutput<infer V, infer H, infer L> ? TypedOutput<V, H, L> : unknown)
}

/** Erases the types of a component's own inputs; from here on the engine converts values as declared. */
function erase<I extends Fields>(output: OutputDefinition<I>): OutputDefinition {
  const erased: unknown = Object.freeze(output)
  return erased as OutputDefinition
}

export function isComponent(value: unknown): value is Component {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'kind') === 'component'
}
