import type { PendingQuestion } from '@x/flow-engine'
import { isObject } from '@x/wire'

/** A plain text answers a question with options: it names one of them. */
export function decisionFor(question: PendingQuestion, given: unknown): unknown {
  if (typeof given !== 'string' || question.options.length === 0) return given
  return { action_id: given }
}

/** True if what a client sent is the decision that was given. */
export function isSameDecision(sent: unknown, given: unknown): boolean {
  if (JSON.stringify(sent) === JSON.stringify(given)) return true
  return typeof sent === 'string' && isObject(given) && given['action_id'] === sent
}
