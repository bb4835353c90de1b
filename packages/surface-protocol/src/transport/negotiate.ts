/** The stream format requested by an `Accept` header; null if none is acceptable. */
export function negotiate(accept: string | null): 'sse' | 'json-lines' | null {
  if (accept === null || accept.trim() === '') return 'json-lines'
  const accepted = new Set<string>()
  for (const part of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) accepted.add(type)
  }
  if (accepted.has('text/event-stream') || accepted.has('text/*')) return 'sse'
  const lines = ['application/jsonl', 'application/x-ndjson', 'application/*', '*/*']
  return lines.some((type) => accepted.has(type)) ? 'json-lines' : null
}
