import type { BlobBody } from '../../store/blob-store.ts'
import { extendedName } from './zip-answer.ts'

export interface FileAnswer {
  readonly contentType: string
  readonly name?: string
  /** Send a plain ASCII name in one form only, because clients extract it from the header. */
  readonly plain?: boolean
  /** May be displayed by pages of the same site only. */
  readonly shown?: boolean
}

/** Responds with a file, for display or, with `name`, as a download. */
export function fileAnswer(
  { body, size }: BlobBody,
  { contentType, name, plain = false, shown = false }: FileAnswer,
): Response {
  return new Response(body, {
    headers: {
      'content-type': contentType,
      'content-length': String(size),
      'x-content-type-options': 'nosniff',
      ...(shown ? { 'cross-origin-resource-policy': 'same-site' } : {}),
      ...(name === undefined ? {} : { 'content-disposition': attachment(name, plain) }),
      ...(contentType === 'image/svg+xml'
        ? {
            // An uploaded SVG may contain scripts.
            'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
          }
        : {}),
    },
  })
}

function attachment(name: string, plain: boolean): string {
  const ascii = name.replaceAll(/[^ -~]|["\\]/g, '_')
  if (plain && ascii === name) return `attachment; filename="${name}"`
  return `attachment; filename="${ascii}"; filename*=UTF-8''${extendedName(name)}`
}
