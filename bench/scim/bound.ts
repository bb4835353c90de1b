import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { reportUsage } from '../lib/report-usage.ts'
import { BASE_URL, USERS } from './data-set.ts'
import { openDriver } from './driver.ts'

// node:http with one prepared statement for each operation: what no server can do without.
const [path = ''] = process.argv.slice(2)
const db = openDriver(path)
const byId = db.prepare('select json from user where id = ?')
const byName = db.prepare('select json from user where user_name_key = ?')
const page = db.prepare('select json from user order by seq limit ?')
const insert = db.prepare('insert into user (id, user_name_key, json) values (?, ?, ?)')
const activate = db.prepare(`update user set json = json_set(json, '$.active', json(?),
  '$.meta.lastModified', ?) where id = ? returning json`)
const USERS_PATH = '/api/v1/scim/v2/Users'

const server = createServer((message, reply) => {
  if (message.method === 'GET') return answer(reply, 200, read(message.url ?? ''))
  const chunks: Buffer[] = []
  message.on('data', (chunk: Buffer) => chunks.push(chunk))
  message.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    if (message.method === 'POST') answer(reply, 201, create(body as Created))
    else answer(reply, 200, patch(message, body as Patched))
  })
})
server.listen(0, '127.0.0.1', () => reportUsage((server.address() as AddressInfo).port))

function read(url: string): string {
  if (!url.includes('?')) return jsonOf(byId.get(url.slice(USERS_PATH.length + 1)))
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const filter = query.get('filter')
  if (filter === null) return list(page.all(Number(query.get('count'))), USERS)
  return list(byName.all(filter.slice(filter.indexOf('"') + 1, -1).toLowerCase()), 1)
}

function list(rows: readonly unknown[], total: number): string {
  return `{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":${total},"startIndex":1,"itemsPerPage":${rows.length},"Resources":[${rows.map(jsonOf).join(',')}]}`
}

interface Created {
  readonly schemas: readonly string[]
  readonly userName: string
}

function create(body: Created): string {
  const id = randomUUID()
  const now = new Date().toISOString()
  const { schemas, ...rest } = body
  const meta = {
    resourceType: 'User',
    created: now,
    lastModified: now,
    location: `${BASE_URL}/Users/${id}`,
  }
  const json = JSON.stringify({ schemas, id, ...rest, meta })
  insert.run(id, body.userName.toLowerCase(), json)
  return json
}

interface Patched {
  readonly Operations: readonly { readonly value: { readonly active: boolean } }[]
}

function patch({ url = '' }: IncomingMessage, { Operations: [first] }: Patched): string {
  const active = String(first?.value.active)
  return jsonOf(activate.get(active, new Date().toISOString(), url.slice(USERS_PATH.length + 1)))
}

function jsonOf(row: unknown): string {
  return (row as { readonly json: string }).json
}

function answer(reply: ServerResponse, status: number, body: string): void {
  reply.writeHead(status, {
    'content-type': 'application/scim+json',
    'content-length': Buffer.byteLength(body),
  })
  reply.end(body)
}
