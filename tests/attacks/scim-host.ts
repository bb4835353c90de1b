import { join } from 'node:path'
import { createScimService, type ScimService, type ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { openPostgres } from '@x/store-kysely/postgres'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { Pool } from 'pg'
import { serveHost } from './serve-host.ts'

const [folder = '', postgres = ''] = process.argv.slice(2)
let files = 0
const TENANT = 'default'
const BASE = 'http://host.test/scim/v2'
const TOKEN = 'a-token-of-the-directory-0123456789'

interface Hooks {
  readonly onGroupWrite: () => Promise<void>
}

async function openStore(kind: string, hooks: Hooks): Promise<ScimStore> {
  if (kind === 'memory') return createMemoryScimStore(hooks)
  const file = join(folder, `${(files += 1)}.db`)
  const db = kind === 'sqlite' ? openSqlite<unknown>(file) : openPostgres<unknown>(postgres)
  await migrateScim(db)
  return createScimStore(db, hooks)
}

/** A hook that calls the service, or the store, which it is called by; what both writes come to. */
async function reenter(body: string) {
  const { kind, call } = JSON.parse(body) as { kind: string; call: 'service' | 'store' }
  let calls = true
  const made: { service?: ScimService } = {}
  const store: ScimStore = await openStore(kind, {
    async onGroupWrite() {
      if (!calls) return
      if (call === 'store') await store.users.get(TENANT, 'x')
      else await made.service?.groups.create(TENANT, { displayName: 'inner' })
    },
  })
  const errors: string[] = []
  const service = createScimService({
    store,
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    onError: (error) => void errors.push(String(error)),
  })
  made.service = service
  const create = (displayName: string): Promise<string> =>
    service.groups.create(TENANT, { displayName }).then(
      () => 'made',
      () => 'refused',
    )
  const first = await create(`outer ${kind} ${call}`)
  calls = false
  return { first, errors, next: await create(`next ${kind} ${call}`) }
}

/** A user that is made, changed and listed over a pool of the host, whose numbers are texts. */
async function pool() {
  const types = { getTypeParser: () => () => 'of the host' }
  const own = new Pool({ connectionString: postgres, types })
  const db = openPostgres<unknown>(own)
  await migrateScim(db)
  const { handle } = createScimService({
    store: createScimStore(db),
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
  })
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return (await handle(new Request(`${BASE}${path}`, init))).json()
  }
  const { id } = (await ask('POST', '/Users', { userName: 'pool@corp.example' })) as { id: string }
  await ask('PATCH', `/Users/${id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  })
  const user = await ask('GET', `/Users/${id}`)
  const list = await ask('GET', '/Users?filter=userName%20eq%20"pool@corp.example"')
  const { rows } = await own.query('select 1 as one')
  await own.end()
  return { user, list, rows: rows as unknown[] }
}

serveHost({ reenter, pool })
