import { isObject, json } from '@x/wire'
import { BudgetUsedUp } from '../../services/budgets/budget-used-up.ts'
import { failureOf } from '../../services/openai/openai-failures.ts'
import { OpenAiRefusal, type OpenAiError } from '../../services/openai/openai-refusal.ts'
import { errorResponse } from './error-response.ts'
import type { AnswerErrorOptions } from '../route/route.ts'

export const OPENAI_BASE = '/api/openai/v1/'

/** Statuses for which a retry may help; the SDKs retry others too unless a header tells them not to. */
const REPEATED: ReadonlySet<number> = new Set([429, 503])

/** Seconds. */
const RETRY_AFTER = { 'retry-after': '5' }

/** Formats an error so that the OpenAI SDKs map it to their own error classes. */
export async function openAiErrorResponse(
  request: Request,
  thrown: unknown,
  { report }: AnswerErrorOptions,
): Promise<Response> {
  const error = thrown instanceof BudgetUsedUp ? failureOf(thrown, report) : thrown
  if (error instanceof OpenAiRefusal) {
    const wait = error.status === 429 ? { ...RETRY_AFTER, ...error.headers } : undefined
    return answer(request, error.status, error.error, wait)
  }
  const response = errorResponse(request, error, report)
  const { detail } = (await response.json()) as { detail: unknown }
  const { status, headers } = response
  const retryAfter = headers.get('retry-after')
  const more = retryAfter === null ? {} : { 'retry-after': retryAfter }
  return answer(request, ...translated(status, detail), more)
}

/** The 404 response of an unknown operation. */
export function openAiNotFound(request: Request, path: string): Response {
  const message = `This server runs flows; it has no ${path.slice(OPENAI_BASE.length - 1)}.`
  return answer(request, 404, {
    message,
    type: 'invalid_request_error',
    param: null,
    code: 'unknown_url',
  })
}

/** The 405 response for a method the path does not support. */
export function openAiWrongMethod(request: Request, allow: string): Response {
  const message = `${request.method} is not allowed here; use ${allow}.`
  const error = { message, type: 'invalid_request_error', param: null, code: null } as const
  return answer(request, 405, error, { allow })
}

function answer(
  request: Request,
  status: number,
  error: OpenAiError,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = {
    ...(REPEATED.has(status) && error.code !== 'insufficient_quota'
      ? {}
      : { 'x-should-retry': 'false' }),
    ...more,
  }
  return json(request, { error }, { status, headers })
}

function translated(status: number, detail: unknown): [number, OpenAiError] {
  const message = typeof detail === 'string' ? detail : 'The request is invalid.'
  const of = (type: OpenAiError['type'], code: string | null): OpenAiError => ({
    message,
    type,
    param: null,
    code,
  })
  if (status === 401 || status === 403) {
    const error = of('invalid_request_error', 'invalid_api_key')
    return [401, { ...error, message: 'Incorrect API key provided.' }]
  }
  if (status === 422) return [400, invalidBody(detail)]
  if (status === 413) return [413, of('invalid_request_error', 'request_too_large')]
  if (status === 429) return [429, of('rate_limit_error', 'rate_limit_exceeded')]
  if (status >= 500) return [status, of('server_error', null)]
  return [status, of('invalid_request_error', 'invalid_value')]
}

/** The first element of a validation error. */
function invalidBody(detail: unknown): OpenAiError {
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined
  const { loc = [], msg, type } = isObject(first) ? first : {}
  const path = Array.isArray(loc) ? loc.slice(1) : []
  const isType = typeof type === 'string' && /_type$|_parsing$/.test(type)
  const param = type === 'json_invalid' ? '' : paramOf(path)
  const text = typeof msg === 'string' ? msg : 'Invalid value'
  return {
    message: param === '' ? `${text}.` : `Invalid value for '${param}': ${text}.`,
    type: 'invalid_request_error',
    param: param === '' ? null : param,
    code: isType ? 'invalid_type' : 'invalid_value',
  }
}

/** `['messages', 0, 'role']` becomes `messages[0].role`. */
function paramOf(path: readonly unknown[]): string {
  return path
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`,
    )
    .join('')
}
