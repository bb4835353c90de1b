import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { smallAndFull } from '@x/test-kit/small-and-full'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ScimHandler } from '@x/scim-core'
import { fileDatabase, type TestDatabase } from './databases.ts'
import { addMember, handlerOver, idOf, request } from './scim-handler.ts'

const TENANT = 'default'
let database: TestDatabase
let handler: ScimHandler

beforeEach(async () => {
  database = await fileDatabase()
  await migrateScim(database.db)
  handler = handlerOver(createScimStore(database.db))
})
afterEach(() => database.close())

describe('requests at the same time, on a SQLite file', () => {
  test('SC-26 of two POSTs of one userName one is 201 and one 409', async () => {
    for (let n = 0; n < 20; n += 1) {
      const names = [`same${n}@corp.example`, `SAME${n}@corp.example`]
      const answers = await Promise.all(
        names.map((userName) => handler(request('POST', '/Users', { userName }))),
      )
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    }
  })

  for (const [text, count, options] of smallAndFull(120, 1_000))
    test(`SC-59 none of ${text} added members is lost`, options, async () => {
      const group = await idOf(await handler(request('POST', '/Groups', { displayName: 'g' })))
      const ids: string[] = []
      for (let n = 0; n < count; n += 1) {
        const userName = `u${n}@corp.example`
        ids.push(await idOf(await handler(request('POST', '/Users', { userName }))))
      }
      const answers = await Promise.all(ids.map((id) => handler(addMember(group, id))))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const { members } = createScimStore(database.db)
      expect(await members.count(TENANT, group)).toBe(count)
      expect((await members.has(TENANT, group, ids)).size).toBe(count)
    })
})
