import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares secrets in constant time. */
export function constantTimeEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
