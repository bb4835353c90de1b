import { spawn } from 'node:child_process'
import { checkSqlite } from '@x/store-kysely'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { describe, expect, test } from 'vitest'
import { fileDatabase } from './databases.ts'
import { joinedProgram } from './joined-program.ts'

const WRITER = await joinedProgram('scim-writer-process.ts')
const TENANT = 'default'

/** The lines a process has written when it is killed while it writes. */
async function killedAfter(address: string, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, address], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (data: Buffer) => {
    text += data.toString()
    if (text.split('\n').length > lines) child.kill('SIGKILL')
  })
  await new Promise((resolve) => child.on('close', resolve))
  return text.split('\n').slice(0, -1)
}

describe('SC-29 a server that is killed while it answers', () => {
  test('has lost nothing it has answered, and left nothing half done', async () => {
    const database = await fileDatabase()
    await migrateScim(database.db)
    const lines = await killedAfter(database.address, 500)
    const ids = (noun: string): string[] =>
      lines.filter((line) => line.startsWith(`${noun} `)).map((line) => line.split(' ')[1] ?? '')
    expect(lines.length).toBeGreaterThan(400)

    const { users, members } = createScimStore(database.db)
    const [group = ''] = ids('group')
    const found = await Promise.all(ids('user').map((id) => users.get(TENANT, id)))
    expect(found.filter((user) => user === null)).toEqual([])
    const joined = await members.has(TENANT, group, ids('member'))
    expect(joined.size).toBe(ids('member').length)
    const { total } = await users.list(TENANT, { limit: 0, withTotal: true })
    const { records } = await users.list(TENANT, { limit: 1_000_000, withTotal: false })
    expect(total).toBe(records.length)
    expect(await checkSqlite(database.db)).toEqual([])
    await database.close()
  })
})
