import { encodeBase64Url, type Runtime } from '@x/wire'
import { readFederation, type ClientFederation } from '../base/client-federation.ts'
import { sha256Hex } from '../base/digest.ts'
import { ScimError } from '../base/errors.ts'
import { ALL_SCOPES, type ScimScope } from '../base/principal.ts'
import type { JSONWebKeySet } from '../base/signing-key.ts'
import type { OAuthClient } from '../store/clients.ts'
import type { ClientRecord, ClientSecretRecord, ConnectionStore } from '../store/connections.ts'
import { readJwks } from './read-jwks.ts'

/** Options of a new client. */
export interface IssueClientOptions {
  /** End of its first secret. Default 365 days from now, at most 1,096. */
  readonly expiresAt?: Date
  /** At most 200 characters. */
  readonly label?: string
  /** Public keys of its signed assertions; it then has no secret. */
  readonly jwks?: JSONWebKeySet
  /** The issuer whose assertions it uses; it then has no secret. */
  readonly federation?: ClientFederation
  /** Default: all four. */
  readonly scopes?: readonly ScimScope[]
}

/** A new secret of a client, returned only once. */
export interface IssuedClientSecret {
  readonly clientSecret: string
  readonly secretId: string
  readonly expiresAt: Date
}

/** The public facts of a secret. */
export type ClientSecretInfo = Omit<ClientSecretRecord, 'digest' | 'clientId'>

/** The public facts of a client that is not revoked. */
export interface ClientInfo {
  readonly clientId: string
  readonly label: string | null
  readonly created: Date
  readonly lastUsedAt: Date | null
  readonly federation: ClientFederation | null
  readonly secrets: readonly ClientSecretInfo[]
}

export interface RotateSecretOptions {
  /** How long the old secret stays valid, in seconds. Default 86,400. */
  readonly overlapSeconds?: number
}

/** The clients of connections and their secrets. */
export interface ConnectionClients {
  issue(
    tenant: string,
    connectionId: string,
    options?: IssueClientOptions,
  ): Promise<{ clientId: string } & (IssuedClientSecret | NoSecret)>
  issueSecret(client: ClientRecord, expiresAt?: Date): Promise<IssuedClientSecret>
  rotateSecret(
    client: ClientRecord,
    secretId: string,
    options?: RotateSecretOptions,
  ): Promise<IssuedClientSecret>
  revokeSecret(client: ClientRecord, secretId: string): Promise<void>
  list(connectionId: string): Promise<ClientInfo[]>
  used(client: OAuthClient, secretId: string | null): void
}

interface NoSecret {
  readonly clientSecret: null
  readonly secretId: null
  readonly expiresAt: null
}

const NO_SECRET: NoSecret = { clientSecret: null, secretId: null, expiresAt: null }
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const DEFAULT_DAYS = 365
const MAX_DAYS = 1_096
const MAX_SECRETS = 5
const MAX_CLIENTS = 50
const MAX_LABEL = 200
const HINT_LENGTH = 4

export function createConnectionClients({
  store,
  runtime,
  onError,
}: {
  readonly store: ConnectionStore
  readonly runtime: Runtime
  readonly onError: (error: unknown) => void
}): ConnectionClients {
  /** Clients and secrets whose use is being recorded. */
  const recording = new Set<string>()

  const insertSecret = async (clientId: string, wanted?: Date): Promise<IssuedClientSecret> => {
    const now = runtime.now()
    const expiresAt = readExpiry(wanted, now)
    const clientSecret = `scs_${encodeBase64Url(runtime.randomBytes(32))}`
    const secretId = runtime.uuid()
    await store.insertSecret({
      id: secretId,
      clientId,
      digest: sha256Hex(clientSecret),
      hint: clientSecret.slice(-HINT_LENGTH),
      created: now,
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    })
    return { clientSecret, secretId, expiresAt }
  }
  /** @throws ScimError conflict */
  const assertRoom = async (client: ClientRecord): Promise<void> => {
    const now = runtime.now()
    const live = (await secretsOf(store, client)).filter((secret) => isLive(secret, now))
    if (live.length < MAX_SECRETS) return
    throw new ScimError('conflict', `A client may have ${MAX_SECRETS} live secrets.`)
  }
  const ownSecret = async (client: ClientRecord, id: string): Promise<ClientSecretRecord> => {
    const found = (await secretsOf(store, client)).find((secret) => secret.id === id)
    if (found === undefined) throw new ScimError('not_found', 'The secret does not exist.')
    if (client.digest === null || id !== client.id) return found
    // A secret made before secrets had an expiry becomes one of the others when it is changed.
    await store.insertSecret(found)
    await store.updateClient(client.id, { digest: null })
    return found
  }
  /** Runs after the response, best effort. */
  const record = (id: string, write: () => Promise<unknown>): void => {
    if (recording.has(id)) return
    recording.add(id)
    void Promise.resolve()
      .then(write)
      .catch(onError)
      .finally(() => recording.delete(id))
  }

  return {
    async issue(tenant, connectionId, options = {}) {
      const { expiresAt, label, jwks, federation, scopes = ALL_SCOPES } = options
      const clients = await store.clients(connectionId)
      if (clients.filter(({ revokedAt }) => revokedAt === null).length >= MAX_CLIENTS) {
        throw new ScimError('conflict', `A connection may have ${MAX_CLIENTS} clients.`)
      }
      const now = runtime.now()
      readExpiry(expiresAt, now)
      const client: ClientRecord = {
        id: runtime.uuid(),
        tenant,
        connectionId,
        digest: null,
        jwks: jwks === undefined ? null : readJwks(jwks),
        federation: federation === undefined ? null : readFederation(federation),
        scopes: [...scopes],
        label: label === undefined ? null : readLabel(label),
        created: now,
        revokedAt: null,
        lastUsedAt: null,
      }
      await store.insertClient(client)
      const isAsserting = client.jwks !== null || client.federation !== null
      const secret = isAsserting ? NO_SECRET : await insertSecret(client.id, expiresAt)
      return { clientId: client.id, ...secret }
    },
    async issueSecret(client, expiresAt) {
      readExpiry(expiresAt, runtime.now())
      await assertRoom(client)
      return insertSecret(client.id, expiresAt)
    },
    async rotateSecret(client, secretId, { overlapSeconds = DAY_MS / 1_000 } = {}) {
      const old = (await secretsOf(store, client)).find(({ id }) => id === secretId)
      if (old !== undefined && !isLive(old, runtime.now())) {
        throw new ScimError('conflict', 'The secret has expired or has been revoked.')
      }
      if (old !== undefined) await assertRoom(client)
      await ownSecret(client, secretId)
      const issued = await insertSecret(client.id)
      const end = new Date(runtime.now().getTime() + overlapSeconds * 1_000)
      const isSooner = old?.expiresAt != null && old.expiresAt < end
      if (!isSooner) await store.updateSecret(secretId, { expiresAt: end })
      return issued
    },
    async revokeSecret(client, secretId) {
      const secret = await ownSecret(client, secretId)
      if (secret.revokedAt !== null) return
      await store.updateSecret(secretId, { revokedAt: runtime.now() })
    },
    async list(connectionId) {
      const shown: ClientInfo[] = []
      for (const client of await store.clients(connectionId)) {
        if (client.revokedAt !== null) continue
        const { id: clientId, label, created, lastUsedAt, federation } = client
        const secrets = (await secretsOf(store, client)).map(withoutDigest)
        shown.push({ clientId, label, created, lastUsedAt, federation, secrets })
      }
      return shown
    },
    used({ id }, secretId) {
      const now = runtime.now()
      record(id, async () => {
        const client = await store.client(id)
        if (client === null || isRecent(client.lastUsedAt, now)) return
        await store.updateClient(id, { lastUsedAt: now })
      })
      if (secretId === null) return
      record(secretId, async () => {
        const secret = (await store.secrets(id)).find((one) => one.id === secretId)
        if (secret === undefined || isRecent(secret.lastUsedAt, now)) return
        await store.updateSecret(secretId, { lastUsedAt: now })
      })
    },
  }
}

/** The secrets of a client; one without expiry, from before, has the client's id. */
export async function secretsOf(
  store: ConnectionStore,
  client: ClientRecord,
): Promise<ClientSecretRecord[]> {
  const secrets = await store.secrets(client.id)
  const { id, digest, created, revokedAt } = client
  if (digest === null) return secrets
  const first = { id, clientId: id, digest, hint: '', created, revokedAt }
  return [{ ...first, expiresAt: null, lastUsedAt: null }, ...secrets]
}

function isLive({ revokedAt, expiresAt }: ClientSecretRecord, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now)
}

function isRecent(time: Date | null, now: Date): boolean {
  return time !== null && Math.abs(now.getTime() - time.getTime()) < MINUTE_MS
}

function withoutDigest(record: ClientSecretRecord): ClientSecretInfo {
  const { digest: _digest, clientId: _clientId, ...info } = record
  return info
}

/** @throws TypeError */
function readExpiry(wanted: Date | undefined, now: Date): Date {
  if (wanted === undefined) return new Date(now.getTime() + DEFAULT_DAYS * DAY_MS)
  const isTime = wanted instanceof Date && !Number.isNaN(wanted.getTime())
  if (!isTime || wanted <= now || wanted.getTime() - now.getTime() > MAX_DAYS * DAY_MS) {
    throw new TypeError(`expiresAt must be a time within the next ${MAX_DAYS} days`)
  }
  return wanted
}

/** @throws TypeError */
function readLabel(label: unknown): string {
  if (typeof label === 'string' && label !== '' && label.length <= MAX_LABEL) return label
  throw new TypeError(`label must be a string of 1 to ${MAX_LABEL} characters`)
}
