/** A zip download; `name` is the parameter of the content disposition. */
export function zipAnswer(zip: Uint8Array | ReadableStream<Uint8Array>, name: string): Response {
  return new Response(zip, {
    headers: {
      'content-type': 'application/x-zip-compressed',
      'content-disposition': `attachment; ${name}`,
    },
  })
}

/** Encodes a name in the extended notation of RFC 8187. */
export function extendedName(name: string): string {
  const encoded = encodeURIComponent(wellFormed(name))
  return encoded.replaceAll(
    /['()*!]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Replaces lone surrogates by U+FFFD. */
function wellFormed(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text))
}
