import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeListener } from '@x/http-adapters/node'
import { createScimService } from '@x/scim-core'
import { createAppStore } from './store.ts'
import { openTables } from './tables.ts'

const { PORT = '3000', DATABASE = 'app.db', SCIM_TOKEN = 'a-long-random-secret' } = process.env

const db = await openTables(DATABASE)
const scim = createScimService({
  store: createAppStore(db),
  baseUrl: 'https://app.example/scim/v2',
  auth: { kind: 'token', token: SCIM_TOKEN },
})

/** The parts of the app that this example needs. */
async function app(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/app/users') {
    const users = await db
      .selectFrom('users as u')
      .innerJoin('memberships as m', 'm.user_id', 'u.id')
      .select(['u.id', 'u.email', 'u.name', 'u.status', 'm.role'])
      .orderBy('u.email')
      .execute()
    return Response.json(users)
  }
  if (pathname !== '/app/outbox') return new Response('Not found\n', { status: 404 })
  const rows = await db.selectFrom('outbox').select(['id', 'type', 'user_id as userId']).execute()
  return Response.json(rows)
}

const handle = (request: Request): Promise<Response> =>
  scim.match(request) ? scim.handle(request) : app(request)

const server = createServer(toNodeListener(handle))
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
