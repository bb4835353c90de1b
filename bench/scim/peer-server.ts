import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { reportUsage } from '../lib/report-usage.ts'
import { openDriver } from './driver.ts'

// scimmy-routers over one table of JSON texts, as its documentation shows.
interface Stored {
  readonly id?: string
  readonly userName?: string
  /** The query of a list. */
  readonly constraints?: { readonly count?: number }
}

interface Declaration {
  ingress(write: (resource: Stored, data: Stored) => Promise<Stored>): Declaration
  egress(read: (resource: Stored) => Promise<Stored | readonly Stored[]>): Declaration
}

interface Scimmy {
  readonly default: {
    readonly Resources: {
      declare(resource: unknown): Declaration
      readonly User: unknown
    }
  }
}

interface Routers {
  readonly default: new (options: object) => unknown
}

interface Express {
  readonly default: () => {
    use(path: string, router: unknown): void
    listen(port: number, host: string, done: () => void): Server
  }
}

const [path = ''] = process.argv.slice(2)
const db = openDriver(path)
const byId = db.prepare('select json from user where id = ?')
const page = db.prepare('select json from user order by seq limit ?')
const insert = db.prepare('insert into user (id, user_name_key, json) values (?, ?, ?)')
const update = db.prepare('update user set json = ? where id = ?')

const { Resources } = (await load<Scimmy>('scimmy')).default
Resources.declare(Resources.User)
  .ingress(async ({ id }, data) => {
    const stored = { ...plain(data), id: id ?? randomUUID() }
    if (id === undefined)
      insert.run(stored.id, data.userName?.toLowerCase(), JSON.stringify(stored))
    else update.run(JSON.stringify(stored), id)
    return stored
  })
  .egress(async ({ id, constraints }) => {
    // To its advantage: handed all 110,000 users, as for a true total, it takes 40 seconds.
    if (id === undefined) return page.all(constraints?.count ?? 100).map(read)
    const row = byId.get(id)
    if (row === undefined) throw new Error('Not found')
    return read(row)
  })

const { default: Router } = await load<Routers>('scimmy-routers')
const { default: express } = await load<Express>('express')
const app = express()
app.use('/api/v1/scim/v2', new Router({ type: 'bearer', handler: () => 'bench' }))
const server: Server = app.listen(0, '127.0.0.1', () =>
  reportUsage((server.address() as AddressInfo).port),
)

/** A package that was installed in `peers/`. */
async function load<Module>(name: string): Promise<Module> {
  const peers = createRequire(new URL('../scim/peers/package.json', import.meta.url))
  const module: Wrapped = await import(pathToFileURL(peers.resolve(name)).href)
  // Modules compiled to CommonJS have their default export one level deeper.
  return (module.default?.default === undefined ? module : module.default) as Module
}

interface Wrapped {
  readonly default?: { readonly default?: unknown }
}

function plain(data: Stored): Stored {
  return JSON.parse(JSON.stringify(data)) as Stored
}

function read(row: unknown): Stored {
  return JSON.parse((row as { readonly json: string }).json) as Stored
}
