// Runs each night (.ci/night).
import { needs } from '@x/test-kit/needs'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { hashSync } from 'bcryptjs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { inFolder, startServer } from '../server/start-server.ts'
import { ids, KEY, PASSWORD } from './langflow-installation.ts'

const PROGRAM = fileURLToPath(
  new URL('../../examples/reference-server/src/migrate/main.ts', import.meta.url),
)

/** The tables of Langflow 1.7.1 on PostgreSQL, with the types that it gives the columns. */
const TABLES = `
  create table "user" (id uuid, username varchar, password varchar, is_active boolean, is_superuser boolean, create_at timestamp, updated_at timestamp);
  create table folder (id uuid, name varchar, description text, parent_id uuid, user_id uuid, auth_settings json);
  create table flow (id uuid, name varchar, description text, is_component boolean, updated_at timestamp, webhook boolean, endpoint_name varchar, data json, mcp_enabled boolean, access_type varchar, user_id uuid, icon varchar, tags json, locked boolean, folder_id uuid);
  create table variable (id uuid, name varchar, value varchar, type varchar, default_fields json, user_id uuid);
  create table apikey (id uuid, name varchar, is_active boolean, created_at timestamptz, api_key varchar, user_id uuid);
  create table file (id uuid, user_id uuid, name varchar, path varchar, size integer, created_at timestamp, updated_at timestamp);
  create table message (id uuid, timestamp timestamp, sender varchar, sender_name varchar, session_id varchar, text text, flow_id uuid, files json, error boolean, edit boolean, properties json, category text, content_blocks json)`

test(
  'a Langflow installation on PostgreSQL is migrated with its times read as UTC in every time zone',
  needs('postgres'),

  () =>
    inFolder(async (target) => {
      const database = await postgresDatabase()
      const { db, address } = database
      try {
        const now = '2025-11-02 10:20:30.123456'
        const graph = '{"nodes":[],"edges":[],"viewport":{"zoom":1}}'
        for (const statement of TABLES.split(';')) await sql.raw(statement).execute(db)
        for (const statement of [
          sql`insert into "user" values (${ids.ada}, 'ada', ${hashSync(PASSWORD, 4)}, true, false, ${now}, ${now})`,
          sql`insert into folder values (${ids.project}, 'Answers', null, null, ${ids.ada}, null), (${ids.root}, 'Starter Projects', null, null, null, null)`,
          sql`insert into flow values (${ids.flow}, 'Kept', 'of Ada', false, ${now}, false, 'kept', ${graph}, true, 'PRIVATE', ${ids.ada}, null, '["kept"]', false, ${ids.project}), (${ids.lost}, 'Basic Prompting', null, false, ${now}, false, null, ${graph}, false, 'PRIVATE', null, null, null, false, ${ids.root})`,
          sql`insert into variable values (${ids.plain}, 'GREETING', 'hello', 'Generic', '[]', ${ids.ada})`,
          sql`insert into apikey values (${ids.key}, 'client', true, ${now}, ${KEY}, ${ids.ada})`,
          sql`insert into message values (${ids.message}, ${now}, 'User', 'Ada', 'talk', 'the first question', ${ids.flow}, '[]', false, false, '{}', 'message', '[]')`,
        ])
          await statement.execute(db)

        const { stdout } = await promisify(execFile)(
          process.execPath,
          ['--import', 'tsx', '--conditions=@x/source', PROGRAM]
            .concat('--from', address)
            .concat('--config-dir', target),
          {
            env: {
              PATH: process.env['PATH'],
              SERVICE_CONFIG_DIR: target,
              TZ: 'America/New_York',
            },
          },
        )
        expect(stdout).toContain('users: 1 copied, 0 already there, 0 skipped')
        // The examples of Langflow itself have no owner and are not listed.
        expect(stdout).toContain('projects: 1 copied, 0 already there, 0 skipped')
        expect(stdout).toContain('flows: 1 copied, 0 already there, 0 skipped')
        expect(stdout).toContain('messages: 1 copied, 0 already there, 0 skipped')
      } finally {
        await database.close()
      }

      const server = await startServer({ SERVICE_CONFIG_DIR: target, LOG_LEVEL: 'silent' })
      try {
        const headers = { 'x-api-key': KEY }
        const get = async (path: string): Promise<unknown> =>
          await (await fetch(`${server.url}${path}`, { headers })).json()
        expect(await get(`/api/v1/flows/${ids.flow}`)).toMatchObject({
          name: 'Kept',
          tags: ['kept'],
          data: { nodes: [], edges: [], viewport: { zoom: 1 } },
        })
        expect(await get('/api/v1/monitor/messages')).toMatchObject([
          { text: 'the first question', timestamp: '2025-11-02T10:20:30.123Z' },
        ])
      } finally {
        await server.end('SIGTERM')
      }
    }),
)
