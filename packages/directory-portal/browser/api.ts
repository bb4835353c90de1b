import type { LogEntry } from '../src/log/log-entry.ts'
import type { Provider } from '../src/providers/provider-list.ts'

export type { Provider }
export type Entry = LogEntry

/** A refusal of the portal. */
export class Refused extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export interface Secret {
  readonly id: string
  readonly address: string
  readonly token: string
  readonly expiresAt: string | null
}

export interface SecretInfo {
  readonly id: string
  readonly label: string | null
  readonly created: string
  readonly revokedAt: string | null
  readonly endsAt: string | null
}

export interface Connection {
  readonly id: string
  readonly name: string
  readonly provider: string
  readonly paused: boolean
  readonly state: string
  readonly alarms: readonly { readonly name: string }[]
  readonly secrets: readonly SecretInfo[]
}

export interface Session {
  readonly tenant: string
  readonly tenantName: string | null
  readonly permission: 'manage' | 'view'
  readonly returnUrl: string | null
  readonly app: { readonly name: string }
  readonly address: string
  readonly language: string | null
  readonly features: { readonly domains: boolean; readonly roles: boolean }
}

export interface Domain {
  readonly domain: string
  readonly txtName: string
  readonly txtValue: string
  readonly state: 'pending' | 'verified' | 'lapsed'
}

export interface Finding {
  readonly name: string
  readonly level: string
  readonly message: string
  readonly fix: string
}

export interface Status {
  readonly state: string
  readonly cursor: number
  readonly firstUser: { readonly id: string; readonly userName: string | null } | null
  readonly findings: readonly Finding[]
}

export interface User {
  readonly id: string
  readonly userName: string
  readonly displayName: string | null
  readonly state: 'active' | 'inactive' | 'deleted'
  readonly since: string | null
  readonly groups: readonly string[]
}

export interface Group {
  readonly id: string
  readonly displayName: string
  /** null: more than 10,000. */
  readonly members: number | null
}

export interface Roles {
  readonly roles: readonly { readonly value: string; readonly name: string }[]
  readonly rules: readonly { readonly groupId: string; readonly role: string }[]
  readonly default: string | null
  readonly applying?: { readonly done: number; readonly total: number }
}

export interface RoleChanges {
  readonly total: number | null
  readonly sample: readonly {
    readonly userId: string
    readonly userName: string | null
    readonly before: readonly string[]
    readonly after: readonly string[]
  }[]
}

export interface Received {
  readonly requestId: string
  readonly userId: string | null
}

export interface Preview {
  readonly raw: unknown
  readonly stored: unknown
  readonly host: readonly { readonly label: string; readonly value: string }[]
  readonly ignored: readonly {
    readonly path: string
    readonly reason: string
    readonly value: unknown
  }[]
}

/** Asks the API of a portal; the answer has the form that its route has. */
export type Ask = <Answer>(
  method: string,
  path: string,
  options?: { readonly body?: object; readonly signal?: AbortSignal },
) => Promise<Answer>

export function createAsk(base: string): Ask {
  return async <Answer>(
    method: string,
    path: string,
    { body, signal }: { readonly body?: object; readonly signal?: AbortSignal } = {},
  ): Promise<Answer> => {
    const response = await fetch(`${base}api${path}`, {
      method,
      credentials: 'same-origin',
      headers:
        method === 'GET' ? {} : { 'content-type': 'application/json', 'x-directory-portal': '1' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    })
    const text = await response.text()
    const answer: unknown = text === '' ? {} : JSON.parse(text)
    if (response.ok) return answer as Answer
    const { error } = answer as { error?: { code: string; message: string } }
    throw new Refused(error?.code ?? 'internal', error?.message ?? String(response.status))
  }
}
