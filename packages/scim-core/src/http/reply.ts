import type { BodyText } from '../resource/body-text.ts'

/** An answer before it becomes a Response. */
export interface Reply {
  readonly status: number
  /** JSON text; null: no body. */
  readonly body: BodyText | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Headers of every answer with a body (SC-8). */
export const BODY_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/scim+json',
  'cache-control': 'no-store',
}

/** An answer with a message. */
export function reply(status: number, body: BodyText): Reply {
  return { status, body, headers: BODY_HEADERS }
}

/** An answer with a resource, its address and, where versions are shown, its entity tag (SC-61). */
export function resourceReply(
  status: number,
  body: BodyText,
  { location, etag }: { readonly location: string; readonly etag: string | null },
): Reply {
  // Merging objects by `...` would cost more than reading the user has.
  const headers: Record<string, string> = {
    'content-type': 'application/scim+json',
    'cache-control': 'no-store',
    location,
  }
  if (etag !== null) headers['etag'] = etag
  return { status, body, headers }
}

/** 204. */
export const NO_CONTENT: Reply = {
  status: 204,
  body: null,
  headers: { 'cache-control': 'no-store' },
}
