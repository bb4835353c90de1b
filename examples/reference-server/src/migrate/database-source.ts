import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { openPostgres } from '@x/store-kysely/postgres'
import { openSqlite } from '@x/store-kysely/sqlite'
import { SettingsError } from '../settings/read-settings.ts'
import { createFernetReader } from './fernet.ts'
import { readBelow } from './read-file.ts'
import { date, jsonOf, object, objects, text, textOrNull, textsOrNull } from './read-values.ts'
import type { Source, SourceFile } from './source.ts'

const PAGE = 200
/** A view can have rows without end. */
const MOST_ROWS = 10_000_000

const OWNED = new Set(['folder', 'flow'])

type Row = Readonly<Record<string, unknown>>

export interface DatabaseSourceOptions {
  /** `sqlite:PATH` or `postgres://...`. A SQLite file is copied first and never modified. */
  readonly address: string
  /** The service's configuration folder, with uploaded files and the file `secret_key`. */
  readonly configDir: string
  /** Default: the content of `secret_key`. */
  readonly secretKey?: string | undefined
}

/**
 * Reads the database of Langflow 1.7.
 * @throws SettingsError if the address is not such a database
 */
export async function openDatabaseSource(options: DatabaseSourceOptions): Promise<Source> {
  const { db, columns, close } = openDatabase(options.address)
  const reveal = await clearText(options)
  try {
    await sql`select id from ${sql.table('flow')} limit 1`.execute(db)
  } catch (error) {
    await close()
    const reason = error instanceof Error ? error.message : String(error)
    throw new SettingsError(
      `Cannot read the table "flow" of ${withoutPassword(options.address)}: ${reason}`,
    )
  }

  /** Projects and flows without an owner are Langflow's own examples. */
  async function* rows(table: string): AsyncGenerator<Row> {
    const isOwned = OWNED.has(table) ? sql`user_id is not null` : sql`1 = 1`
    let seen = 0
    for (let last = ''; ;) {
      const after = last === '' ? sql`` : sql`and id > ${last}`
      const query = sql<Row>`select ${columns} from ${sql.table(table)} as source where ${isOwned} ${after} order by id limit ${PAGE}`
      const page = (await query.execute(db)).rows.map(
        ({ record, ...row }) => recordOf(record) ?? row,
      )
      yield* page
      if (page.length < PAGE) return
      const next = page.at(-1)?.['id']
      seen += page.length
      if (typeof next !== 'string' || next === last || seen > MOST_ROWS)
        throw new SettingsError(`The rows of "${table}" do not end, or have no ids`)
      last = next
    }
  }
  const map = <T>(table: string, read: (row: Row) => T) =>
    async function* (): AsyncGenerator<T> {
      for await (const row of rows(table)) yield read(row)
    }

  return {
    users: map('user', (row) => ({
      id: uuid(row['id']),
      username: text(row['username']),
      passwordHash: textOrNull(row['password']),
      isActive: Boolean(row['is_active']),
      isSuperuser: Boolean(row['is_superuser']),
      createdAt: date(row['create_at']),
      updatedAt: date(row['updated_at']),
    })),
    projects: map('folder', (row) => ({
      id: uuid(row['id']),
      userId: uuid(row['user_id']),
      name: text(row['name']),
      description: textOrNull(row['description']),
      parentId: uuidOrNull(row['parent_id']),
    })),
    flows: map('flow', (row) => ({
      id: uuid(row['id']),
      userId: uuid(row['user_id']),
      folderId: uuidOrNull(row['folder_id']),
      name: text(row['name']),
      description: textOrNull(row['description']),
      icon: textOrNull(row['icon']),
      iconBgColor: textOrNull(row['icon_bg_color']),
      gradient: textOrNull(row['gradient']),
      data: jsonText(row['data']),
      isComponent: Boolean(row['is_component']),
      webhook: Boolean(row['webhook']),
      endpointName: textOrNull(row['endpoint_name']),
      tags: texts(row['tags']),
      locked: Boolean(row['locked']),
      mcpEnabled: Boolean(row['mcp_enabled']),
      actionName: textOrNull(row['action_name']),
      actionDescription: textOrNull(row['action_description']),
      isPublic: row['access_type'] === 'PUBLIC',
      updatedAt: date(row['updated_at']),
    })),
    variables: map('variable', (row) => ({
      id: uuid(row['id']),
      userId: uuid(row['user_id']),
      name: text(row['name']),
      type: textOrNull(row['type']) ?? 'Generic',
      value: reveal(text(row['value'])),
      defaultFields: texts(row['default_fields']),
    })),
    apiKeys: map('apikey', (row) => {
      const stored = text(row['api_key'])
      return {
        id: uuid(row['id']),
        userId: uuid(row['user_id']),
        name: textOrNull(row['name']),
        key: stored.startsWith('sk-') ? stored : reveal(stored),
        isActive: row['is_active'] === null || Boolean(row['is_active']),
        createdAt: date(row['created_at']),
      }
    }),
    messages: map('message', (row) => ({
      id: uuid(row['id']),
      flowId: uuidOrNull(row['flow_id']),
      timestamp: date(row['timestamp']),
      sender: textOrNull(row['sender']),
      senderName: textOrNull(row['sender_name']),
      sessionId: text(row['session_id']),
      contextId: textOrNull(row['context_id']),
      text: text(row['text']),
      files: texts(row['files']) ?? [],
      error: Boolean(row['error']),
      edit: Boolean(row['edit']),
      category: textOrNull(row['category']) ?? 'message',
      properties: object(json(row['properties'])),
      contentBlocks: objects(json(row['content_blocks'])),
    })),
    async *files() {
      for await (const row of rows('file')) {
        const [ownerId = '', ...names] = text(row['path']).split('/')
        const storedName = names.join('/')
        yield {
          ...fileOf(options.configDir, { owner: 'user', ownerId, storedName }),
          listed: {
            id: uuid(row['id']),
            name: text(row['name']),
            createdAt: date(row['created_at']),
          },
        }
      }
      for await (const row of rows('flow')) {
        const ownerId = uuid(row['id'])
        const names = await readdir(join(options.configDir, ownerId)).catch(() => [])
        for (const storedName of names) {
          yield {
            ...fileOf(options.configDir, { owner: 'flow', ownerId, storedName }),
            listed: null,
          }
        }
      }
    },
    close,
  }
}

interface OpenedDatabase {
  readonly db: Kysely<unknown>
  /** The columns of each row, or the whole row as the JSON object `record`. */
  readonly columns: RawBuilder<unknown>
  readonly close: () => Promise<void>
}

function openDatabase(address: string): OpenedDatabase {
  if (/^postgres(ql)?:\/\//.test(address)) {
    const db = openPostgres<unknown>(address, { maxConnections: 1 })
    // Times are stored in UTC without a zone. As JSON they stay strings; the driver would parse them as
    // local times.
    return { db, columns: sql`row_to_json(source) as record`, close: () => db.destroy() }
  }
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(address)?.[1]
  if (path === undefined || !existsSync(path))
    throw new SettingsError(
      `--from must be sqlite:PATH of a file, or postgres://..., or http(s)://...`,
    )
  const folder = mkdtempSync(join(tmpdir(), 'migrate-'))
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(path + end))
      cpSync(path + end, join(folder, `source.db${end}`), { dereference: true })
  }
  const db = openSqlite<unknown>(join(folder, 'source.db'))
  return {
    db,
    columns: sql`*`,
    async close() {
      await db.destroy()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function recordOf(record: unknown): Row | undefined {
  const value = typeof record === 'string' ? json(record) : record
  return typeof value === 'object' && value !== null ? (value as Row) : undefined
}

/** Decrypts stored values; text that is not a Fernet token is returned unchanged. */
async function clearText({
  configDir,
  secretKey,
}: DatabaseSourceOptions): Promise<(stored: string) => string | null> {
  const file = secretKey === undefined ? await readBelow(configDir, 'secret_key', 65_536) : null
  const secret = secretKey ?? new TextDecoder().decode(file ?? undefined).trim()
  const open = createFernetReader(secret)
  return (stored) => (stored.startsWith('gAAAAA') ? (open?.(stored) ?? null) : stored)
}

function fileOf(
  configDir: string,
  file: Pick<SourceFile, 'owner' | 'ownerId' | 'storedName'>,
): Omit<SourceFile, 'listed'> {
  const path = join(file.ownerId, file.storedName)
  return { ...file, read: () => readBelow(configDir, path) }
}

/** SQLite stores ids as 32 hex digits, PostgreSQL as UUIDs. */
function uuid(value: unknown): string {
  return text(value).replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, '$1-$2-$3-$4-$5')
}
const uuidOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? uuid(value) : null

function json(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

function jsonText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : jsonOf(value)
}

const texts = (value: unknown): string[] | null => textsOrNull(json(value))

function withoutPassword(address: string): string {
  return address.replace(/\/\/[^@/]*@/, '//')
}
