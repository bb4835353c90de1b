import { isObject } from '@x/wire'
import type { JsonSchema } from '../components/define/suspend-options.ts'
import { checkToolDecision, TOOL_APPROVAL } from '../components/tools/tool-approval.ts'
import { FlowError, InvalidAnswerError } from '../errors.ts'
import type { Ask, CallPlace, QuestionNotice } from '../graph/context/run-host.ts'
import { answerProblems } from '../graph/durable/answer-schema.ts'
import type { StoredJob } from '../store/job-store.ts'
import type { PendingQuestion } from './build-jobs.ts'

/** Maximum size of an answer in bytes of JSON. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** Identifies a question of a vertex; answers are stored under it. */
export interface QuestionPlace extends CallPlace {
  /** Counts from 1 the questions of this vertex, separately for each loop pass and tool call. */
  readonly number: number
  /** Pass of the outermost enclosing loop. */
  readonly pass?: number | undefined
}

/** The stored question or sleep of a suspended job; jobs of earlier versions store the question alone. */
export interface StoredQuestion
  extends QuestionPlace, Partial<Omit<Ask, 'vertexId' | 'scope' | 'pass' | 'question'>> {
  readonly question: unknown
  readonly cardId?: string
  /** Milliseconds since 1970. */
  readonly askedAt?: number
  readonly expiresAt?: number | null
}

export function isStoredQuestion(value: unknown): value is StoredQuestion {
  return isObject(value) && 'vertexId' in value && 'number' in value
}

/** Answers are stored among the checkpoints, under names that no vertex has. */
export function answerName(place: QuestionPlace): string {
  return `?${numberOf(place)}?${place.vertexId}`
}

function numberOf({ number, pass, scope }: QuestionPlace): string {
  const inCall = scope === undefined ? '' : `@${scope}`
  return `${pass === undefined ? '' : `${pass}.`}${number}${inCall}`
}

/** The same for an expired question. */
export function expiredName(place: QuestionPlace): string {
  return `?x${answerName(place).slice(1)}`
}

/** The same for the end of a sleep. */
export function sleepName(place: QuestionPlace): string {
  return `?z${numberOf(place)}?${place.vertexId}`
}

/** The name under which a job keeps what it has spent. */
export const SPENT_NAME = '?spent?'

/** True for what a job keeps besides the states of its vertices. */
export const isSuspensionName = (name: string): boolean =>
  name === SPENT_NAME || /^\?[xz]?(?:\d+\.)?\d+(?:@[^?]*)?\?/.test(name)

export function requestIdOf(place: QuestionPlace, jobId: string): string {
  return `${place.vertexId}:${jobId}:${numberOf(place)}`
}

/** Converts an open question to its public form. */
export function toPendingQuestion(job: StoredJob, question: StoredQuestion): PendingQuestion {
  const { id: jobId, flowId, userId, askedAt } = job
  const { vertexId, sessionId = '', kind = 'question', prompt = null, options = [] } = question
  const { allowedDecisions = [], actionRequests, schema = null, expiresAt = null } = question
  return {
    jobId,
    requestId: requestIdOf(question, jobId),
    vertexId,
    flowId,
    ...(userId === null ? {} : { userId }),
    sessionId,
    kind,
    prompt,
    options: [...options],
    allowedDecisions: [...allowedDecisions],
    ...(actionRequests === undefined ? {} : { actionRequests: [...actionRequests] }),
    schema,
    question: question.question,
    askedAt: new Date(question.askedAt ?? askedAt ?? job.startedAt ?? job.createdAt),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  }
}

/** The announcement of a question in the log and the conversation. */
export function noticeOf(jobId: string, question: StoredQuestion): QuestionNotice | undefined {
  const { cardId, askedAt, expiresAt = null, sessionId = '' } = question
  if (cardId === undefined || askedAt === undefined) return undefined
  const { vertexId, kind = 'question', prompt = null, options = [], actionRequests } = question
  return {
    cardId,
    sessionId,
    askedAt: new Date(askedAt),
    event: {
      job_id: jobId,
      request_id: requestIdOf(question, jobId),
      vertex_id: vertexId,
      kind,
      prompt,
      options: options.map(({ actionId, label }) => ({ action_id: actionId, label })),
      allowed_decisions: [...(question.allowedDecisions ?? [])],
      ...(actionRequests === undefined ? {} : { action_requests: [...actionRequests] }),
      schema: question.schema ?? null,
      question: question.question,
      asked_at: new Date(askedAt).toISOString(),
      expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    },
  }
}

/**
 * Rejects an answer that does not match the question.
 * @throws FlowError `too_large` over 1 MiB; InvalidAnswerError
 */
export async function checkAnswer(
  {
    kind,
    allowedDecisions = [],
    schema,
  }: { kind?: string; allowedDecisions?: readonly string[]; schema?: JsonSchema | null },
  answer: unknown,
): Promise<void> {
  const size = new TextEncoder().encode(JSON.stringify(answer) ?? '').length
  if (size > MAX_ANSWER_BYTES)
    throw new FlowError(
      'too_large',
      `The answer has ${size} bytes; the maximum is ${MAX_ANSWER_BYTES}`,
    )
  const chosen = isObject(answer) ? answer['action_id'] : undefined
  if (allowedDecisions.length > 0 && !allowedDecisions.some((decision) => decision === chosen)) {
    const message = `must be one of ${allowedDecisions.join(', ')}`
    throw new InvalidAnswerError([{ path: 'action_id', message }])
  }
  if (kind === TOOL_APPROVAL) checkToolDecision(answer)
  if (schema === null || schema === undefined) return
  const problems = await answerProblems(schema, answer)
  if (problems.length > 0) throw new InvalidAnswerError(problems)
}
