/** The media types a client accepts. */
export interface Accepted {
  readonly json: boolean
  readonly stream: boolean
}

/** Parses `Accept`; a missing header accepts both. */
export function readAccept(header: string | null): Accepted {
  if (header === null || header.trim() === '') return { json: true, stream: true }
  const types = header.split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  const anything = types.includes('*/*')
  return {
    json: anything || types.includes('application/json') || types.includes('application/*'),
    stream: anything || types.includes('text/event-stream') || types.includes('text/*'),
  }
}
