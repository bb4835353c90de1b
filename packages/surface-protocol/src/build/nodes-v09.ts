import type { Binding } from './nodes.ts'

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

/** A check of a component (SN-41). */
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
