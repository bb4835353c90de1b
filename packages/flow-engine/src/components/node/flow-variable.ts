const BRAND = Symbol.for('@x/flow-engine/variable')

/** A field value that is the name of a variable, which runs look up. */
export interface FlowVariable {
  readonly variable: string
}

/** Marks a field as loading a variable of the user or the environment. */
export function variable(name: string): FlowVariable {
  return Object.freeze(Object.defineProperty({ variable: name }, BRAND, { value: true }))
}

export function isFlowVariable(value: unknown): value is FlowVariable {
  return typeof value === 'object' && value !== null && Reflect.get(value, BRAND) === true
}
