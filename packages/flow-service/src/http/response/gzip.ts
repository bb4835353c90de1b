import { eventLoopTurn, textSlices } from '@x/wire'

/** True if the client accepts gzip (RFC 9110 section 12.5.3). */
export function acceptsGzip(request: Request): boolean {
  const header = request.headers.get('accept-encoding') ?? ''
  const weights = new Map<string, number>()
  for (const part of header.split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
    weights.set(coding.toLowerCase(), quality === undefined ? 1 : Number(quality))
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}

/** Characters that are encoded and compressed at once. */
const SLICE = 256 * 1024

/** Compresses a string; between slices of a long one, other requests get a turn. */
export async function gzip(text: string): Promise<Uint8Array> {
  const { readable, writable } = new CompressionStream('gzip')
  const whole = new Response(readable).arrayBuffer()
  const writer = writable.getWriter()
  const encoder = new TextEncoder()
  for (const slice of textSlices(text, SLICE)) {
    await writer.write(encoder.encode(slice))
    if (text.length > SLICE) await eventLoopTurn()
  }
  await writer.close()
  return new Uint8Array(await whole)
}
