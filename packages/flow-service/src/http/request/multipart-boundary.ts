import { refuse, type Refusal } from '../../refusal.ts'

/**
 * Checks the headers of a multipart body; its bytes are read after authentication.
 * @throws Refusal 422
 */
export function checkUploadHead(headers: Headers): void {
  boundaryOf(headers.get('content-type') ?? '')
}

/**
 * Checks that a body starts and ends with its boundary, optionally followed by a line break.
 * @throws Refusal 422, while the chunks are read
 */
export async function* withinFrame(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<Uint8Array> {
  const boundary = boundaryOf(contentType)
  const [first, last] = [`--${boundary}`, `--${boundary}--`]
  let [start, end] = ['', '']
  // Boundaries are ASCII, so every byte can be read as a character.
  const decoder = new TextDecoder('latin1')
  for await (const chunk of chunks) {
    if (start.length < first.length) {
      start += decoder.decode(chunk.subarray(0, first.length - start.length))
      if (!first.startsWith(start)) throw malformed()
    }
    end = (end + decoder.decode(chunk.subarray(-last.length - 2))).slice(-last.length - 2)
    yield chunk
  }
  if (start !== first || !(end.endsWith(last) || end === `${last}\r\n`)) throw malformed()
}

function malformed(): Refusal {
  return refuse(422, 'Invalid multipart formatting')
}

function boundaryOf(contentType: string): string {
  const boundary = /boundary=(?:"([^"]*)"|([^;]*))/i.exec(contentType)
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType) || boundary === null) {
    const detail = "Content-Type header must be 'multipart/form-data' with a boundary parameter."
    throw refuse(422, detail)
  }
  const name = (boundary[1] ?? boundary[2] ?? '').trim()
  if (!/^[\w-]{1,70}$/.test(name)) throw refuse(422, 'Invalid boundary format')
  return name
}
