import { isPlainObject, setOwn } from '../json.ts'
import { parseFieldKey, readField } from './answer-field.ts'
import { ANSWER_ACTION } from './question-surface.ts'

/** An answer in the form accepted by a flow engine's `resume`. */
export interface GivenAnswer {
  readonly requestId: string
  /** JSON; the engine checks it against the question. */
  readonly answer: unknown
}

/**
 * The user's answer on a surface of `questionSurface`.
 * @param event a client message of version 0.8 or 0.9; null if it is not such an answer
 */
export function answerOf(event: unknown): GivenAnswer | null {
  const action: unknown = isPlainObject(event) ? (event['userAction'] ?? event['action']) : null
  if (!isPlainObject(action) || action['name'] !== ANSWER_ACTION) return null
  const { context } = action
  const requestId = isPlainObject(context) ? context['requestId'] : undefined
  if (!isPlainObject(context) || typeof requestId !== 'string') return null
  const { actionId } = context
  const members: Record<string, unknown> = {}
  const values: Record<string, unknown> = {}
  let whole: readonly [unknown] | undefined
  if (typeof actionId === 'string') setOwn(members, 'action_id', actionId)
  for (const [key, given] of Object.entries(context)) {
    const field = parseFieldKey(key)
    if (field === null) continue
    const value = readField(field, given)
    if (field.place === 'whole') whole = [value ?? null]
    else if (value !== undefined && belongsToAction(field, actionId))
      setOwn(field.place === 'values' ? values : members, field.name, value)
  }
  if (whole !== undefined && actionId === undefined) return { requestId, answer: whole[0] }
  if (Object.keys(values).length > 0) setOwn(members, 'values', values)
  return { requestId, answer: members }
}

/** Arguments belong to an edit, a message to a rejection or a response. */
function belongsToAction(
  { place, name }: { readonly place: string; readonly name: string },
  actionId: unknown,
): boolean {
  if (place !== 'values') return true
  return name === 'args' ? actionId === 'edit' : actionId === 'reject' || actionId === 'respond'
}
