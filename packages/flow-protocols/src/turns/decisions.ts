import type { PendingQuestion } from '@x/flow-engine'
import { isObject } from '@x/wire'
import type { DoorSurfaces } from '../parts/door-surfaces.ts'

/** A plain text answers a question with options: it names one of them. */
export function decisionFor(question: PendingQuestion, given: unknown): unknown {
  if (typeof given !== 'string' || question.options.length === 0) return given
  return { action_id: given }
}

/** The action in what a client sends of a surface. */
export function userActionOf(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { userAction, action } = given
  if (isObject(userAction)) return userAction
  return isObject(action) ? action : { ...given }
}

/** What an action on the surface of a question says to it; undefined for another action. */
export function decisionOfAction(
  surfaces: DoorSurfaces | undefined,
  { requestId }: PendingQuestion,
  action: Readonly<Record<string, unknown>>,
): { readonly decision: unknown } | undefined {
  const given = surfaces?.answerOf(action) ?? null
  return given?.requestId === requestId ? { decision: given.answer } : undefined
}

/** True if what a client sent is the decision that was given. */
export function isSameDecision(sent: unknown, given: unknown): boolean {
  if (JSON.stringify(sent) === JSON.stringify(given)) return true
  return typeof sent === 'string' && isObject(given) && given['action_id'] === sent
}
