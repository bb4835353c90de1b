import { refuse } from '../services/refusal.ts'

/**
 * Checks what the head says of a multipart body; its bytes are read once the sender is known
 * (files-flow.md, Upload File; abuse.md AB-51).
 * @throws Refusal 422
 */
export function checkUploadHead(headers: Headers): void {
  boundaryOf(headers.get('content-type') ?? '')
}

/**
 * Checks that a body begins and ends with its boundary; a line end may follow.
 * @throws Refusal 422
 */
export function checkMultipart(bytes: Uint8Array, contentType: string): void {
  const boundary = boundaryOf(contentType)
  const [first, last] = [`--${boundary}`, `--${boundary}--`]
  const decoder = new TextDecoder()
  const start = decoder.decode(bytes.subarray(0, first.length))
  const end = decoder.decode(bytes.subarray(-(last.length + 2)))
  if (start !== first || !(end.endsWith(last) || end === `${last}\r\n`)) {
    throw refuse(422, 'Invalid multipart formatting')
  }
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
