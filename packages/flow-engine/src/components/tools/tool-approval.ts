import { isObject } from '@x/wire'
import { InvalidAnswerError } from '../../errors.ts'
import type { ApprovalAction, Tool } from '../../models/chat-model.ts'
import type { ComponentContext } from '../define/context.ts'

/** The kind of the question that asks for a tool call's approval. */
export const TOOL_APPROVAL = 'tool_approval'

const LABELS: Readonly<Record<ApprovalAction, string>> = {
  approve: 'Approve',
  edit: 'Edit',
  reject: 'Reject',
  respond: 'Respond',
}

const REJECTED = 'The call was rejected'

/** A person's decision: the arguments to call with, or the result to give the model instead. */
export type ToolDecision =
  | { readonly args: unknown }
  | { readonly rejected: string }
  | { readonly response: string }

interface Answer {
  readonly action_id: ApprovalAction
  readonly values?: { readonly args?: unknown; readonly message?: unknown }
}

/**
 * Asks a person about a call of a tool that requires approval.
 * @throws FlowError `not_resumable` if no one can be asked
 */
export async function decideToolCall(
  { name, description, approvalActions = [] }: Tool,
  args: unknown,
  ctx: ComponentContext,
): Promise<ToolDecision> {
  if (approvalActions.length === 0) return { args }
  const { action_id: action, values } = await ctx.suspend<Answer>(
    { name, args },
    {
      kind: TOOL_APPROVAL,
      prompt: `Approve tool call: ${name}`,
      options: approvalActions.map((actionId) => ({ actionId, label: LABELS[actionId] })),
      actionRequests: [{ name, args, description }],
    },
  )
  const message = typeof values?.message === 'string' ? values.message : ''
  if (action === 'edit') return { args: values?.args }
  if (action === 'respond') return { response: message }
  return action === 'approve' ? { args } : { rejected: message === '' ? REJECTED : message }
}

/**
 * Checks a decision: an edit needs arguments and a response needs text.
 * @throws InvalidAnswerError
 */
export function checkToolDecision(answer: unknown): void {
  if (!isObject(answer)) return
  const { action_id: action, values } = answer
  const given = isObject(values) ? values : {}
  if (action === 'edit' && !isObject(given['args']))
    throw new InvalidAnswerError([{ path: 'values.args', message: 'must be an object' }])
  if (action === 'respond' && typeof given['message'] !== 'string')
    throw new InvalidAnswerError([{ path: 'values.message', message: 'must be a string' }])
}
