import type { IsComponentId } from '../catalog/slot.ts'

/** A value bound to the data model. */
export interface Binding {
  readonly kind: 'binding'
  readonly path: string
  readonly initial: string | number | boolean | readonly string[] | undefined
}

/** A value at a data path; `initial` is written there when the component arrives. */
export function bind(
  path: string,
  initial?: string | number | boolean | readonly string[],
): Binding {
  return Object.freeze({ kind: 'binding', path, initial })
}

/** A reference to a component by its id. */
export interface ComponentReference {
  readonly kind: 'reference'
  readonly componentId: string
}

/** Refers to a component that is sent separately. */
export function ref(componentId: string): ComponentReference {
  return Object.freeze({ kind: 'reference', componentId })
}

/** One child for each entry of a map or array in the data. */
export interface EachBinding {
  readonly kind: 'each'
  readonly dataBinding: string
  readonly node: UiNode
}

/**
 * Repeats `node` for each entry at `dataBinding`; paths without a leading slash are relative to the entry.
 */
export function each(dataBinding: string, node: UiNode): EachBinding {
  return Object.freeze({ kind: 'each', dataBinding, node })
}

/** A component to build. Nodes are immutable; their methods return new ones. */
export interface UiNode {
  readonly kind: 'node'
  readonly type: string
  /** A copy with an explicit id. */
  id(id: string): UiNode
  /** A copy with a weight within its Row or Column. */
  weight(weight: number): UiNode
  /** A copy with some properties replaced. */
  set(properties: object): UiNode
}

/** A child node, or a reference to one. */
export type UiChild = UiNode | ComponentReference

/** A value in the context of an action. */
export type UiContextValue = string | number | boolean | Binding

/** An action: a name, or a name with a context. */
export type UiAction =
  | string
  | { readonly name: string; readonly context?: Readonly<Record<string, UiContextValue>> }

/** The accepted forms of a property: literals, bindings and nodes in addition to the wire form. */
export type UiValue<T> = T extends string
  ? IsComponentId<T> extends true
    ? UiChild
    : T
  : T extends number | boolean | undefined | null
    ? T
    : T extends readonly (infer Item)[]
      ? readonly UiValue<Item>[]
      : UiObject<T>

type UiObject<T> = 'explicitList' extends keyof T
  ? readonly UiChild[] | EachBinding
  : 'literalString' extends keyof T
    ? 'literalNumber' extends keyof T
      ? UiContextValue | T
      : string | Binding | Call | T
    : 'literalNumber' extends keyof T
      ? number | Binding | Call | T
      : 'literalBoolean' extends keyof T
        ? boolean | Binding | Call | T
        : 'literalArray' extends keyof T
          ? readonly string[] | Binding | Call | T
          : 'context' extends keyof T
            ? UiAction | Action
            : { readonly [K in keyof T]: UiValue<T[K]> }

/** The properties accepted by a factory. */
export type UiProperties<T> = { readonly [K in keyof T]: UiValue<T[K]> }

/** A dynamic value of version 0.9.1: a literal, a binding or a function call. */
export type DynamicValue = string | number | boolean | readonly unknown[] | Binding | Call

/** A function call. */
export interface Call {
  readonly kind: 'call'
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A check of a component: a condition, and the message shown if it fails. */
export interface Check {
  readonly condition: Call | Binding
  readonly message: string
}

/** The reaction to a user's action. */
export type Action =
  | {
      readonly kind: 'event'
      readonly name: string
      readonly context: Readonly<Record<string, DynamicValue>>
    }
  | { readonly kind: 'run'; readonly call: Call }

/** Calls a catalog function; arguments may be bindings and calls. */
export function call(name: string, args: Readonly<Record<string, unknown>> = {}): Call {
  return Object.freeze({ kind: 'call', name, args })
}

/** A check of a component. */
export function check(condition: Call | Binding, message = 'Invalid value.'): Check {
  return Object.freeze({ condition, message })
}

/** Sends an event to the server with the values of its context. */
export function event(name: string, context: Readonly<Record<string, DynamicValue>> = {}): Action {
  return Object.freeze({ kind: 'event', name, context })
}

/** Runs a function on the client. */
export function run(callOfFunction: Call): Action {
  return Object.freeze({ kind: 'run', call: callOfFunction })
}
