import { limitExceeded } from '../errors.ts'

const MAX_CALLS = 1000

/** @throws FlowError `limit_exceeded` for an answer with over 1,000 tool calls */
export function checkToolCalls(count: number): void {
  if (count > MAX_CALLS) throw limitExceeded('tool calls of an answer', `${MAX_CALLS}`)
}
