import { extendedName } from './zip-answer.ts'

export interface FileAnswer {
  readonly contentType: string
  readonly name?: string
  /** A name in plain ASCII is given in one form only: clients cut it out of the header. */
  readonly plain?: boolean
  /** Shown by pages of this site only. */
  readonly shown?: boolean
}

/** Bytes of a file, to be shown or, with `name`, to be saved. */
export function fileAnswer(
  bytes: Uint8Array,
  { contentType, name, plain = false, shown = false }: FileAnswer,
): Response {
  return new Response(bytes, {
    headers: {
      'content-type': contentType,
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      ...(shown ? { 'cross-origin-resource-policy': 'same-site' } : {}),
      ...(name === undefined ? {} : { 'content-disposition': attachment(name, plain) }),
      ...(contentType === 'image/svg+xml'
        ? {
            // An uploaded drawing may hold script.
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
