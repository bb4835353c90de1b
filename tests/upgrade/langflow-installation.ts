import { createCipheriv, createHmac, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashSync } from 'bcryptjs'
import { sql } from 'kysely'
import { openSqlite } from '@x/store-kysely/sqlite'

const hex = (id: string): string => id.replaceAll('-', '')

/** Ids of what the installation holds. */
export const ids = {
  root: '11111111-1111-4111-8111-111111111111',
  ada: '22222222-2222-4222-8222-222222222222',
  project: '33333333-3333-4333-8333-333333333333',
  flow: '44444444-4444-4444-8444-444444444444',
  secret: '55555555-5555-4555-8555-555555555555',
  plain: '66666666-6666-4666-8666-666666666666',
  lost: '77777777-7777-4777-8777-777777777777',
  file: '88888888-8888-4888-8888-888888888888',
  tools: 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb',
  message: '99999999-9999-4999-8999-999999999999',
  key: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
} as const

export const KEY = 'sk-a-key-that-a-client-has-had-for-years'
export const PASSWORD = 'the password of Ada'

/** Writes what Langflow 1.7.1 keeps: its SQLite database, uploaded files and the secret key. */
export async function makeInstallation(folder: string, data: object): Promise<void> {
  const secret = randomBytes(32)
  const sealed = (text: string): string => fernet(secret, text)
  await writeFile(join(folder, 'secret_key'), secret.toString('base64url'))
  await mkdir(join(folder, ids.ada))
  await writeFile(join(folder, ids.ada, 'notes.txt'), 'kept since 2025')
  await writeFile(join(folder, ids.ada, '_mcp_servers_ada.json'), '{"mcpServers":{}}')
  await mkdir(join(folder, ids.flow))
  await writeFile(join(folder, ids.flow, '2025_table.csv'), 'a,b\n1,2\n')

  const db = openSqlite<unknown>(join(folder, 'langflow.db'))
  const now = '2025-11-02 10:20:30.123456'
  const password = hashSync(PASSWORD, 4)
  for (const statement of [
    sql`create table user (id char(32), username text, password text, is_active boolean, is_superuser boolean, create_at datetime, updated_at datetime)`,
    sql`insert into user values (${hex(ids.root)}, 'root', ${hashSync('root', 4)}, 1, 1, ${now}, ${now}), (${hex(ids.ada)}, 'ada', ${password}, 1, 0, ${now}, ${now})`,
    sql`create table folder (id char(32), name text, description text, parent_id char(32), user_id char(32))`,
    sql`insert into folder values (${hex(ids.project)}, 'Answers', null, null, ${hex(ids.ada)})`,
    sql`create table flow (id char(32), name text, description text, icon text, icon_bg_color text, gradient text, is_component boolean, updated_at datetime, webhook boolean, endpoint_name text, tags json, locked boolean, mcp_enabled boolean, action_name text, action_description text, access_type text, data json, user_id char(32), folder_id char(32), fs_path text)`,
    sql`insert into flow values (${hex(ids.flow)}, 'Echo of old', 'says it again', null, null, null, 0, ${now}, 0, 'old-echo', '["kept"]', 0, 1, 'echo', 'Repeats', 'PRIVATE', ${JSON.stringify(data)}, ${hex(ids.ada)}, ${hex(ids.project)}, null)`,
    sql`create table variable (id char(32), name text, value text, type text, default_fields json, user_id char(32))`,
    sql`insert into variable values (${hex(ids.secret)}, 'OPENAI_API_KEY', ${sealed('sk-openai')}, 'Credential', '["api_key"]', ${hex(ids.ada)}), (${hex(ids.plain)}, 'GREETING', ${sealed('grüezi')}, 'Generic', '[]', ${hex(ids.ada)}), (${hex(ids.lost)}, 'OF_ANOTHER_KEY', ${fernet(randomBytes(32), 'x')}, 'Credential', '[]', ${hex(ids.ada)})`,
    sql`create table apikey (id char(32), name text, api_key text, is_active boolean, created_at datetime, user_id char(32))`,
    sql`insert into apikey values (${hex(ids.key)}, 'client', ${sealed(KEY)}, 1, ${now}, ${hex(ids.ada)})`,
    sql`create table file (id char(32), user_id char(32), name text, path text, size integer, provider text, created_at datetime, updated_at datetime)`,
    sql`insert into file values (${hex(ids.file)}, ${hex(ids.ada)}, 'notes', ${`${ids.ada}/notes.txt`}, 15, null, ${now}, ${now}), (${hex(ids.tools)}, ${hex(ids.ada)}, '_mcp_servers_ada', ${`${ids.ada}/_mcp_servers_ada.json`}, 17, null, ${now}, ${now})`,
    sql`create table message (id char(32), timestamp datetime, sender text, sender_name text, session_id text, context_id text, text text, files json, error boolean, edit boolean, properties json, category text, content_blocks json, flow_id char(32))`,
    sql`insert into message values (${hex(ids.message)}, ${now}, 'User', 'Ada', 'talk', null, 'the first question', '[]', 0, 0, '{}', 'message', '[]', ${hex(ids.flow)})`,
  ]) {
    await statement.execute(db)
  }
  await db.destroy()
}

function fernet(secret: Buffer, text: string): string {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-128-cbc', secret.subarray(16), iv)
  const head = Buffer.concat([Buffer.from([0x80]), Buffer.alloc(8), iv])
  const signed = Buffer.concat([head, cipher.update(text), cipher.final()])
  const mac = createHmac('sha256', secret.subarray(0, 16)).update(signed).digest()
  return Buffer.concat([signed, mac]).toString('base64url')
}
