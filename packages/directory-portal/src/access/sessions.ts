import { isResponse, type Runtime } from '@x/wire'
import { PortalError } from '../http/portal-error.ts'
import type { LinkRecord, PortalStore, SessionRecord } from '../store/portal-store.ts'
import { createSecret, digestOf } from './secrets.ts'

type Awaitable<T> = T | Promise<T>

/** A person that the host signed in. */
export interface PortalSession {
  readonly tenant: string
  readonly tenantName?: string
  readonly actor: string
  readonly permission: 'manage' | 'view'
  readonly expiresAt?: Date
}

/** The caller of a request. */
export interface Caller {
  /** Id of the session; of the host's sessions, tenant and actor. */
  readonly id: string
  readonly tenant: string
  readonly tenantName: string | null
  readonly actor: string
  readonly permission: 'manage' | 'view'
  readonly expiresAt: Date | null
  readonly language: string | null
  readonly returnUrl: string | null
}

export interface SessionsOptions {
  readonly store: PortalStore
  readonly runtime: Runtime
  readonly session: ((request: Request) => Awaitable<PortalSession | null | Response>) | undefined
  /** Path and scheme of the cookie. */
  readonly pageUrl: string
  readonly sessionIdleSeconds: number
  readonly sessionSeconds: number
}

export interface Sessions {
  /** @throws PortalError unauthorized. A Response is the host's own. */
  find(request: Request): Promise<Caller | Response>
  /** Opens a session for a redeemed link; its cookie is sent with the answer. */
  open(link: LinkRecord): Promise<{ readonly expiresAt: Date; readonly cookie: string }>
  /** Ends the session of a cookie; gives the cookie that clears it. */
  end(caller: Caller): Promise<string>
}

const MINUTE = 60_000

export function createSessions(options: SessionsOptions): Sessions {
  const { store, runtime, session, sessionIdleSeconds, sessionSeconds } = options
  const { protocol, pathname } = new URL(options.pageUrl)
  const isSecure = protocol === 'https:'
  const name = isSecure ? '__Secure-directory_portal' : 'directory_portal'
  const path = pathname.replace(/\/$/, '') || '/'
  const attributes = `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  const idleMs = sessionIdleSeconds * 1_000

  const ofCookie = async (request: Request): Promise<Caller> => {
    const secret = cookieOf(request, name)
    const record =
      secret === undefined ? null : await store.sessions.byDigest(await digestOf(secret))
    const now = runtime.now()
    if (record === null || isOver(record, now)) throw signIn()
    if (now.getTime() - record.seenAt.getTime() >= Math.min(MINUTE, idleMs / 10))
      await store.sessions.seen(record.tenant, record.id, now)
    return record
  }
  const isOver = ({ expiresAt, seenAt }: SessionRecord, now: Date): boolean =>
    now >= expiresAt || now.getTime() - seenAt.getTime() >= idleMs

  return {
    async find(request) {
      const found = (await session?.(request)) ?? null
      if (found === null) return ofCookie(request)
      if (isResponse(found)) return found
      const { tenant, tenantName = null, actor, permission, expiresAt = null } = readSession(found)
      if (expiresAt !== null && expiresAt <= runtime.now()) throw signIn()
      const id = JSON.stringify([tenant, actor])
      const unknown = { language: null, returnUrl: null }
      return { id, tenant, tenantName, actor, permission, expiresAt, ...unknown }
    },
    async open(link) {
      const secret = createSecret('ps', runtime)
      const created = runtime.now()
      const expiresAt = new Date(created.getTime() + sessionSeconds * 1_000)
      await store.sessions.insert({
        id: runtime.uuid(),
        tenant: link.tenant,
        digest: await digestOf(secret),
        linkId: link.id,
        tenantName: link.tenantName,
        actor: link.actor,
        permission: link.permission,
        language: link.language,
        returnUrl: link.returnUrl,
        created,
        expiresAt,
        seenAt: created,
      })
      return { expiresAt, cookie: `${name}=${secret}; Max-Age=${sessionSeconds}; ${attributes}` }
    },
    async end({ tenant, id }) {
      await store.sessions.end(tenant, id)
      return `${name}=; Max-Age=0; ${attributes}`
    },
  }
}

/** A session that says too little would otherwise be one of nobody, who may do everything. */
function readSession(found: PortalSession): PortalSession {
  const { tenant, actor, permission, expiresAt } = found
  const wrong =
    (!isText(tenant) && 'tenant') ||
    (!isText(actor) && 'actor') ||
    (permission !== 'manage' && permission !== 'view' && 'permission') ||
    (expiresAt !== undefined && !(expiresAt instanceof Date) && 'expiresAt')
  if (wrong === false) return found
  throw new Error(`The option session gave a session whose ${wrong} is not valid.`)
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const signIn = (): PortalError =>
  new PortalError(401, 'unauthorized', 'Open the portal with a new link.')

function cookieOf(request: Request, name: string): string | undefined {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, value] = part.trim().split('=')
    if (key === name) return value
  }
  return undefined
}
