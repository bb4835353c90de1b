import { needs } from '@x/test-kit/needs'
import { join } from 'node:path'
import { createFlowStore } from '@x/store-kysely/flow'
import { describe, expect, test } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { inFolder, startServer, type Environment, type Started } from '../server/start-server.ts'

/** Starts several servers on one database at the same moment; ends those that have started. */
async function startTogether<T>(
  environments: readonly Environment[],
  use: (servers: readonly Started[]) => Promise<T>,
): Promise<T> {
  const starts = await Promise.allSettled(environments.map((env) => startServer(env)))
  const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  try {
    for (const start of starts) if (start.status === 'rejected') throw start.reason
    return await use(servers)
  } finally {
    await Promise.all(servers.map((server) => server.end('SIGTERM')))
  }
}

const made = (servers: readonly Started[], what: RegExp): number =>
  servers.filter((server) => what.test(server.output())).length

/** One of several simultaneous first starts creates the superuser; each of them serves. */
async function expectOneFirstStart(servers: readonly Started[]): Promise<void> {
  expect(made(servers, /^Superuser: admin, password \S+ \(shown once\)$/m)).toBe(1)
  expect(made(servers, /^API key: \S+ \(shown once\)$/m)).toBe(1)
  const output = servers.map((server) => server.output()).join('\n')
  const apiKey = /^API key: (\S+)/m.exec(output)?.[1] ?? ''
  for (const { url } of servers) {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const body = '{"input_value":"hello"}'
    const response = await fetch(`${url}/api/v1/run/echo`, { method: 'POST', headers, body })
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining('hello'),
    ])
  }
}

describe('servers that start simultaneously on one empty database', () => {
  test(
    'PostgreSQL: one superuser with one default project, and no server fails',
    needs('postgres'),
    async () => {
      const database = await postgresDatabase()
      await inFolder(async (folder) => {
        const environments = ['a', 'b', 'c'].map((name) => ({
          SERVICE_CONFIG_DIR: join(folder, name),
          SERVICE_DATABASE_URL: database.address,
          SERVICE_SECRET_KEY: 'a secret that all of them are given',
        }))
        await startTogether(environments, expectOneFirstStart)
      })
      const { users, projects, apiKeys } = createFlowStore(database.db)
      const { items: records } = await users.list({ offset: 0, limit: null })
      expect(records.map(({ username }) => username)).toEqual(['admin'])
      const id = records[0]?.id ?? ''
      expect(await projects.list(id)).toHaveLength(1)
      expect(await apiKeys.list(id)).toHaveLength(1)
      await database.close()
    },
  )

  test('FL-5 SQLite: one of them serves, the other names the file and the process, and makes nothing', async () => {
    await inFolder(async (folder) => {
      const environment = { SERVICE_CONFIG_DIR: folder }
      const starts = await Promise.allSettled([startServer(environment), startServer(environment)])
      const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
      const refused = starts.flatMap((start) => (start.status === 'rejected' ? [start.reason] : []))
      expect([servers.length, refused.length]).toEqual([1, 1])
      expect(String(refused[0])).toMatch(/in use by another process \(pid \d+\)/)
      await expectOneFirstStart(servers)
      await Promise.all(servers.map((server) => server.end('SIGTERM')))
    })
  })
})
