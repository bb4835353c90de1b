import { extendedName } from './zip-answer.ts'

/** Bytes of a file, to be shown or, with `name`, to be saved. */
export function fileAnswer(
  bytes: Uint8Array,
  { contentType, name }: { readonly contentType: string; readonly name?: string },
): Response {
  return new Response(bytes, {
    headers: {
      'content-type': contentType,
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      ...(name === undefined ? {} : { 'content-disposition': attachment(name) }),
      ...(contentType === 'image/svg+xml'
        ? {
            // An uploaded drawing may hold script.
            'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
          }
        : {}),
    },
  })
}

function attachment(name: string): string {
  const ascii = name.replaceAll(/[^ -~]|["\\]/g, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${extendedName(name)}`
}
