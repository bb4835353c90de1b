import type { PortalError } from './portal-error.ts'

const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** The answers of a portal, with the headers that each of them has. */
export interface Answers {
  json(status: number, body: object, headers?: Readonly<Record<string, string>>): Response
  empty(status: number, headers?: Readonly<Record<string, string>>): Response
  error(error: PortalError): Response
  page(html: string): Response
  /** `immutable`: its name has a hash. */
  file(body: string, file: { readonly type: string; readonly immutable: boolean }): Response
}

/** @param frameAncestors origins that may show the page in a frame; none by default */
export function createAnswers(frameAncestors: readonly string[]): Answers {
  const isFramed = frameAncestors.length > 0
  const common = { ...COMMON, ...(!isFramed && { 'x-frame-options': 'DENY' }) }
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${isFramed ? frameAncestors.join(' ') : "'none'"}`,
  ].join('; ')
  const send = (body: string | null, status: number, headers: Readonly<Record<string, string>>) =>
    new Response(body, { status, headers: { ...common, ...headers } })
  const ofApi = { 'cache-control': 'no-store' }
  const json: Answers['json'] = (status, body, headers) =>
    send(JSON.stringify(body), status, {
      ...ofApi,
      'content-type': 'application/json',
      ...headers,
    })
  return {
    json,
    empty: (status, headers) => send(null, status, { ...ofApi, ...headers }),
    error: ({ status, code, message, headers }) =>
      json(status, { error: { code, message } }, headers),
    page: (html) =>
      send(html, 200, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': policy,
      }),
    file: (body, { type, immutable }) =>
      send(body, 200, {
        'content-type': type,
        'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
        ...(type.startsWith('image/svg') && {
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        }),
      }),
  }
}
