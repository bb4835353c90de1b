import type { Component } from '../../components/define/component.ts'
import { FlowError } from '../../errors.ts'
import { isDeeper } from '../values/value-size.ts'

/** Nesting depth that overflows the stack of no component. */
const MOST_LEVELS = 1000

/** True for errors that may be a stack overflow: components wrap it, and V8 may report another type. */
export function mayBeOverflow(error: unknown): boolean {
  return error instanceof RangeError || error instanceof TypeError
}

/** The error that names the field whose value is too deep; undefined if none is. */
export function deepFieldError(
  raw: Readonly<Record<string, unknown>>,
  { inputs }: Component,
): FlowError | undefined {
  for (const [name, value] of Object.entries(raw)) {
    if (!isDeeper(value, MOST_LEVELS)) continue
    const label = inputs[name]?.options.displayName ?? name
    const text = `The input "${label}" (${name}) has more than ${MOST_LEVELS} objects or lists inside one another`
    return new FlowError('limit_exceeded', text)
  }
  return undefined
}
