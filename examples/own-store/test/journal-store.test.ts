import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineScimStoreContract } from '@x/scim-core/testing'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { startExample } from '../../../tools/start-example.ts'
import { openJournalStore, type JournalStore } from '../src/journal-store.ts'

let folder = ''
let opened: JournalStore | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-store-'))
})
afterEach(async () => {
  await opened?.close()
  opened = undefined
  await rm(folder, { recursive: true })
})

defineScimStoreContract(
  { describe, it, beforeEach, afterEach },
  {
    name: 'a journal',
    create: async () => (opened = await openJournalStore(join(folder, 'journal.jsonl'))),
  },
)

test(
  'writes acknowledged with 2xx survive kill -9; a truncated last line is ignored',
  { tags: ['long'] },
  async () => {
    const JOURNAL = join(folder, 'journal.jsonl')
    const example = new URL('../', import.meta.url)
    const headers = {
      authorization: 'Bearer a-long-random-secret',
      'content-type': 'application/scim+json',
    }
    const first = await startExample(example, { JOURNAL })
    const post = (path: string, body: object) =>
      fetch(`${first.url}/scim/v2/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const user = (await (await post('Users', { userName: 'ada@acme.example' })).json()) as {
      id: string
    }
    const group = await post('Groups', { displayName: 'Staff', members: [{ value: user.id }] })
    expect(group.status).toBe(201)
    await first.stop()
    await appendFile(JOURNAL, '[["users","ins')

    const second = await startExample(example, { JOURNAL })

    const listed = await fetch(`${second.url}/scim/v2/Groups`, { headers })
    expect(await listed.json()).toMatchObject({
      Resources: [{ displayName: 'Staff', members: [{ value: user.id }] }],
    })
    await second.stop()
  },
)
