import type { OutboxRow } from '../store/outbox.ts'

/** Maximum bytes of a body (section 12). */
const BODY_BYTES = 1_048_576

/** The body of a webhook request: identical for each attempt. */
export function webhookBody(row: OutboxRow): string {
  const whole = textOf(row, row.data)
  if (whole.length * 3 <= BODY_BYTES || byteLength(whole) <= BODY_BYTES) return whole
  // The JSON was written by this package, so it is an object.
  const payload = JSON.parse(row.data) as Record<string, unknown>
  delete payload['before']
  delete payload['after']
  return textOf(row, JSON.stringify({ ...payload, truncated: true }))
}

function textOf(
  { type, at, resourceId, tenant, requestId, actor }: OutboxRow,
  data: string,
): string {
  const head = JSON.stringify({ id: resourceId, tenant, requestId, actor })
  const payload = data === '{}' ? '' : `,${data.slice(1, -1)}`
  return `{"type":"${type}","timestamp":"${at}","data":${head.slice(0, -1)}${payload}}}`
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
