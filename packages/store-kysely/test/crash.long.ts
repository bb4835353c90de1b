import { needs } from '@x/test-kit/needs'
import { spawn } from 'node:child_process'
import { checkSqlite } from '@x/store-kysely'
import { createFlowStore, createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, type TestDatabase } from './databases.ts'
import { joinedProgram } from './joined-program.ts'
import { TENANT } from './scim-corpus.ts'

const WRITER = await joinedProgram('writer-process.ts')

/** Lines a process has written when it is killed without warning. */
async function killedWhileWriting(address: string, kind: string): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, address, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  const enough = (): boolean =>
    ['user', 'tag', 'event'].every((noun) => text.split(`${noun} `).length > 20)
  child.stdout.on('data', (data: Buffer) => {
    text += data.toString()
    if (enough()) child.kill('SIGKILL')
  })
  await new Promise((resolve) => child.on('close', resolve))
  return text.split('\n').slice(0, -1)
}

/** Number of users whose creation was acknowledged before the kill. */
async function proveNothingLost({ db, address }: TestDatabase, kind: string): Promise<number> {
  await migrateScim(db)
  await migrateFlow(db)
  const answered = await killedWhileWriting(address, kind)
  const ids = (noun: string): string[] =>
    answered.filter((line) => line.startsWith(`${noun} `)).map((line) => line.split(' ')[1] ?? '')

  const found = await createScimStore(db).users.briefs(TENANT, ids('user'))
  expect([...found.keys()].toSorted()).toEqual(ids('user').toSorted())
  const flow = createFlowStore(db)
  const tags = await Promise.all(ids('tag').map((id) => flow.tags.get(id)))
  expect(tags.filter((tag) => tag === null)).toEqual([])
  const last = Number(ids('event').at(-1))
  const log = await createJobStore(db).log.read('job', -1, 1_000_000)
  // In order, without a gap, never half of an append.
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n))
  expect(log.length % 2).toBe(0)
  expect(log.length).toBeGreaterThan(last)
  const { total } = await createScimStore(db).users.list(TENANT, { limit: 0, withTotal: true })
  expect(total).toBeGreaterThanOrEqual(ids('user').length)
  return ids('user').length
}

describe('a process that is killed while it writes', () => {
  test('SQLite: everything that was answered is there, nothing is half written', async () => {
    const database = await fileDatabase()
    expect(await proveNothingLost(database, 'sqlite')).toBeGreaterThan(10)
    expect(await checkSqlite(database.db)).toEqual([])
    await database.close()
  })

  test(
    'PostgreSQL: everything that was answered is there, nothing is half written',
    needs('postgres'),
    async () => {
      const database = await postgresDatabase()
      expect(await proveNothingLost(database, 'postgres')).toBeGreaterThan(10)
      await database.close()
    },
  )
})
