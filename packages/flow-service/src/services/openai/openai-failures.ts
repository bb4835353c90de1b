import type { Runtime } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import { runErrorText } from '../../run-error-text.ts'
import { RunTimeout } from '../answers/answer.ts'
import { ChatInputError } from '../answers/chat-input.ts'
import { OwnerRemovedError } from '../runs/run-owners.ts'
import { BudgetUsedUp } from '../budgets/budget-used-up.ts'
import { OpenAiRefusal } from './openai-refusal.ts'

const QUOTA = { type: 'insufficient_quota', code: 'insufficient_quota' } as const

/** The error of a failed run; unexpected errors get a fixed message. */
export function failureOf(error: unknown, report: (error: unknown) => void): OpenAiRefusal {
  if (error instanceof OpenAiRefusal) return error
  if (!isFlowError(error)) {
    report(error)
    return new OpenAiRefusal(500, { code: null, message: 'Internal Server Error' })
  }
  if (error.status === 429) {
    const isBudget = error instanceof BudgetUsedUp || error.code === 'budget_exceeded'
    const kind = isBudget ? QUOTA : { code: 'rate_limit_exceeded' }
    const headers = error instanceof BudgetUsedUp ? error.headers : undefined
    return new OpenAiRefusal(429, { ...kind, message: error.detail }, error, headers)
  }
  if (error instanceof OwnerRemovedError)
    return new OpenAiRefusal(404, { code: 'model_not_found', message: error.detail }, error)
  if (error instanceof RunTimeout)
    return new OpenAiRefusal(504, { code: 'flow_timeout', message: error.detail }, error)
  return new OpenAiRefusal(500, { code: 'flow_failed', message: runErrorText(error) }, error)
}

export function unknownModel(id: string): OpenAiRefusal {
  return new OpenAiRefusal(404, {
    code: 'model_not_found',
    param: 'model',
    message: `The model '${id}' does not exist: none of your flows with a chat input and a chat output has this name or id.`,
  })
}

/** A request for something a flow cannot do and would answer incorrectly. */
export function unsupported(param: string, message: string): OpenAiRefusal {
  return new OpenAiRefusal(400, { code: 'unsupported_parameter', param, message })
}

/** Parses a client's input, converting its problems to refusals. */
export async function readInput<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ChatInputError) throw new OpenAiRefusal(400, error.problem, error)
    throw error
  }
}

/** Random bytes as hexadecimal digits. */
export function randomHex(runtime: Pick<Runtime, 'randomBytes'>, bytes: number): string {
  const random = runtime.randomBytes(bytes)
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
