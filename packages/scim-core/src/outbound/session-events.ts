import { isObject } from '@x/wire'
import type { OutboxRow } from '../store/outbox.ts'
import { payloadOfRow } from './set-events.ts'

/** Tells that somebody may not be signed in any more (OpenID CAEP 1.0). */
export const SESSION_REVOKED = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'

const ENDS: ReadonlySet<string> = new Set(['user.deactivated', 'user.deleted'])

/** The `events` claim of a set of changes after which a person is out; empty for any other. */
export function sessionEvents(rows: readonly OutboxRow[]): Readonly<Record<string, object>> {
  const end = rows.find(({ type }) => ENDS.has(type))
  if (end === undefined) return {}
  const event_timestamp = Math.floor(Date.parse(end.at) / 1_000)
  return { [SESSION_REVOKED]: { initiating_entity: 'admin', event_timestamp } }
}

/** The person of a set by the primary or only e-mail address, else by the id. */
export function personOf(rows: readonly OutboxRow[], id: string): Readonly<Record<string, string>> {
  for (const row of rows) {
    const { after, before } = payloadOfRow(row)
    for (const user of [after, before]) {
      const email = emailOf(user)
      if (email !== undefined) return { format: 'email', email }
    }
  }
  return { format: 'opaque', id }
}

function emailOf(user: unknown): string | undefined {
  const list: unknown = isObject(user) ? user['emails'] : undefined
  const emails = Array.isArray(list) ? list.filter(isObject) : []
  const chosen = emails.find(({ primary }) => primary === true) ?? emails[0]
  const value = chosen?.['value']
  return typeof value === 'string' ? value : undefined
}
