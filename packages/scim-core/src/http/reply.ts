import type { BodyText } from '../resource/body-text.ts'

/** A response before it becomes a Response object. */
export interface Reply {
  readonly status: number
  /** JSON text; null: no body. */
  readonly body: BodyText | null
  readonly headers?: Readonly<Record<string, string>>
}

/** Headers of every response with a body. */
export const BODY_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/scim+json',
  'cache-control': 'no-store',
}

/** A response with a body. */
export function reply(status: number, body: BodyText): Reply {
  return { status, body, headers: BODY_HEADERS }
}

/** A response with a resource, its location and, if enabled, its entity tag. */
export function resourceReply(
  status: number,
  body: BodyText,
  { location, etag }: { readonly location: string; readonly etag: string | null },
): Reply {
  // Written out, because merging objects by spreading costs more than reading the user did.
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
