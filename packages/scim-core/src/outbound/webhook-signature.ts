import { constantTimeEqual, encodeBase64 } from '@x/wire'
import { hmacSha256 } from '../base/digest.ts'

const PREFIX = 'whsec_'

/** Formats a secret as in the Standard Webhooks convention. */
export function webhookSecret(bytes: Uint8Array): string {
  return PREFIX + encodeBase64(bytes)
}

/** The signatures of an attempt, starting with that of the first secret. */
export function signWebhook(
  secrets: readonly string[],
  { id, seconds, body }: { readonly id: string; readonly seconds: number; readonly body: string },
): string {
  const content = `${id}.${seconds}.${body}`
  return secrets.map((secret) => `v1,${signature(secret, content)}`).join(' ')
}

/** Why a webhook request is rejected. */
export type WebhookSignatureErrorCode = 'missing' | 'malformed' | 'expired' | 'mismatch'

/** A webhook request that must not be trusted. */
export class WebhookSignatureError extends Error {
  readonly code: WebhookSignatureErrorCode

  constructor(code: WebhookSignatureErrorCode, message: string) {
    super(message)
    this.name = 'WebhookSignatureError'
    this.code = code
  }
}

/** An event as received. */
export interface ReceivedWebhook {
  /** Identical for each attempt, so that receivers can ignore duplicates. */
  readonly id: string
  readonly type: string
  /** Time of the change, RFC 3339. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface VerifyWebhookOptions {
  /** Several while a secret is being rotated. */
  readonly secret: string | readonly string[]
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The raw body, before parsing. */
  readonly body: string | Uint8Array
  readonly now?: Date
  /** Accepted clock difference in seconds. Default 300. */
  readonly toleranceSeconds?: number
}

/**
 * Verifies a webhook request and returns its event.
 * @throws WebhookSignatureError; `code` is the reason
 */
export function verifyWebhook({
  secret,
  headers,
  body,
  now = new Date(),
  toleranceSeconds = 300,
}: VerifyWebhookOptions): ReceivedWebhook {
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = header(headers, 'webhook-signature')
  if (id === null || timestamp === null || signatures === null) {
    throw new WebhookSignatureError('missing', 'The request has no webhook signature')
  }
  if (!/^\d{1,12}$/.test(timestamp) || !/(?:^| )v1,\S+/.test(signatures)) {
    throw new WebhookSignatureError('malformed', 'The webhook signature cannot be read')
  }
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookSignatureError('expired', 'The webhook request is too old or from the future')
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const content = `${id}.${timestamp}.${text}`
  const expected = (typeof secret === 'string' ? [secret] : secret).map((one) =>
    bytesOf(signature(one, content)),
  )
  const given = signatures.split(' ').filter((one) => one.startsWith('v1,'))
  const matches = given.filter((one) => {
    const bytes = bytesOf(one.slice(3))
    return expected.filter((known) => constantTimeEqual(known, bytes)).length > 0
  })
  if (matches.length === 0) {
    throw new WebhookSignatureError('mismatch', 'The webhook signature does not match')
  }
  return { id, ...readBody(text) }
}

function readBody(text: string): Omit<ReceivedWebhook, 'id'> {
  try {
    return JSON.parse(text) as Omit<ReceivedWebhook, 'id'>
  } catch {
    throw new WebhookSignatureError('malformed', 'The body of the webhook is not JSON')
  }
}

function signature(secret: string, content: string): string {
  return encodeBase64(hmacSha256(keyOf(secret), content))
}

function keyOf(secret: string): Uint8Array {
  try {
    return Uint8Array.from(atob(secret.replace(PREFIX, '')), (char) => char.charCodeAt(0))
  } catch {
    throw new TypeError('A webhook secret must be whsec_ followed by base64')
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function header(headers: VerifyWebhookOptions['headers'], name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)
  const value = entry?.[1]
  return typeof value === 'string' ? value : (value?.[0] ?? null)
}
