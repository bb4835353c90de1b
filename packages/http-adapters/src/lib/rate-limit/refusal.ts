import { json } from '@x/wire'

/**
 * Format of a 429 response: `flow` for the flow API (`detail`), `scim` for RFC 7644, `openai` for the
 * OpenAI API, `problem` for RFC 9457.
 */
export type RefusalForm = 'flow' | 'scim' | 'openai' | 'problem'

interface Form {
  readonly type: string
  readonly body: (detail: string) => object
}

const FORMS: Readonly<Record<RefusalForm, Form>> = {
  flow: { type: 'application/json', body: (detail) => ({ detail }) },
  scim: {
    type: 'application/scim+json',
    body: (detail) => ({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '429',
      detail,
    }),
  },
  openai: {
    type: 'application/json',
    body: (message) => ({
      error: { message, type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' },
    }),
  },
  problem: {
    type: 'application/problem+json',
    body: (detail) => ({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Too many requests',
      status: 429,
      detail,
    }),
  },
}

/** A 429 response with `retry-after`. */
export function refusal(request: Request, form: RefusalForm, seconds: number): Response {
  const { type, body } = FORMS[form]
  return json(request, body(`Too many requests; try again in ${seconds} s.`), {
    status: 429,
    headers: { 'content-type': type, 'retry-after': String(seconds) },
  })
}

export const isRefusalForm = (form: unknown): boolean => Object.hasOwn(FORMS, String(form))
