/** An answer before it becomes a Response. */
export interface Reply {
  readonly status: number
  /** JSON text; null: no body. */
  readonly body: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Headers of every answer with a body (SC-8). */
export const BODY_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/scim+json',
  'cache-control': 'no-store',
}

/** An answer with a resource or message. */
export function reply(status: number, body: string, headers?: Record<string, string>): Reply {
  return {
    status,
    body,
    headers: headers === undefined ? BODY_HEADERS : { ...BODY_HEADERS, ...headers },
  }
}

/** 204. */
export const NO_CONTENT: Reply = {
  status: 204,
  body: null,
  headers: { 'cache-control': 'no-store' },
}
