import { createSecurityEvents, createWebhooks } from '@x/scim-core/outbound'
import { openPostgres } from '@x/store-kysely/postgres'
import { createScimStore } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'

/** What a sender is started with. */
export interface SenderOrder {
  readonly address: string
  readonly secretKey: string
  readonly key: Readonly<Record<string, unknown>>
}

/** Sends webhooks and Security Event Tokens until it is killed. */
const { address, secretKey, key } = JSON.parse(process.argv[2] ?? '') as SenderOrder
const { outbox: store } = createScimStore(
  address.startsWith('postgres') ? openPostgres<unknown>(address) : openSqlite<unknown>(address),
)
const shared = {
  store,
  secretKey,
  allowLoopback: true,
  retryDelays: Array.from({ length: 50 }, () => 0.2),
  onError: console.error,
}
const webhooks = createWebhooks({ ...shared, timeoutMs: 500 })
const sets = createSecurityEvents({
  ...shared,
  issuer: 'https://app.example',
  baseUrl: 'https://app.example/scim/v2',
  key,
})
const { signal } = new AbortController()
await Promise.all([webhooks, sets].map((one) => one.run({ signal, pollMs: 50 })))
