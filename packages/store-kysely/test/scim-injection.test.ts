import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import type { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ScimHandler } from '@x/scim-core'
import { handlerOver, request } from './scim-handler.ts'

/** Texts that would change a statement they were pasted into. */
const HOSTILE = [
  `x' or '1'='1`,
  `x"; drop table scim_user; --`,
  `') union select token from scim_token --`,
  `zz$1zz`,
  `zz?zz`,
]

let db: Kysely<unknown>
let handler: ScimHandler
let statements: string[]

beforeEach(async () => {
  statements = []
  db = openSqlite<unknown>(':memory:', { log: ({ query }) => void statements.push(query.sql) })
  await migrateScim(db)
  handler = handlerOver(createScimStore(db))
})
afterEach(() => db.destroy())

/** In alphabetical order: those created in the same millisecond are listed by their ids. */
async function titles(filter: string): Promise<unknown> {
  const answer = await handler(request('GET', `/Users?filter=${encodeURIComponent(filter)}`))
  const { Resources } = (await answer.json()) as { readonly Resources: { title: string }[] }
  return Resources.map(({ title }) => title).toSorted()
}

describe('SC-78 what clients send is never part of a statement', () => {
  test.each(HOSTILE)('%s', async (text) => {
    statements.length = 0
    const literal = JSON.stringify(text)
    const created = await handler(
      request('POST', '/Users', {
        userName: 'a@x.example',
        externalId: text,
        title: text,
        displayName: text,
        emails: [{ value: text, type: text, primary: true }],
      }),
    )
    expect(created.status).toBe(201)
    for (const path of ['title', 'externalId', 'displayName', 'emails.value', 'emails.type']) {
      for (const operator of ['eq', 'co', 'sw', 'ew', 'ge', 'le']) {
        expect(await titles(`${path} ${operator} ${literal}`)).toEqual([text])
      }
    }
    expect(await titles(`emails[type eq ${literal} and value co ${literal}]`)).toEqual([text])
    const odd = encodeURIComponent(text)
    expect((await handler(request('GET', `/Users/${odd}`))).status).toBe(404)
    expect((await handler(request('GET', `/Users?sortBy=${odd}`))).status).toBe(400)
    expect((await handler(request('GET', `/Users?attributes=${odd}`))).status).toBe(200)
    expect(statements.length).toBeGreaterThan(20)
    expect(statements.filter((sql) => sql.includes(text))).toEqual([])
  })

  test('% _ and \\ stand for themselves', async () => {
    const texts = ['100%', '100x', 'a_b', 'axb', 'a\\b', 'a\\%b']
    for (const [n, title] of texts.entries()) {
      await handler(request('POST', '/Users', { userName: `u${n}@x.example`, title }))
    }
    expect(await titles('title co "%"')).toEqual(['100%', 'a\\%b'])
    expect(await titles('title ew "%"')).toEqual(['100%'])
    expect(await titles('title sw "a_"')).toEqual(['a_b'])
    expect(await titles('title co "_"')).toEqual(['a_b'])
    expect(await titles('title co "\\\\"')).toEqual(['a\\%b', 'a\\b'])
    expect(await titles('title sw "a\\\\%"')).toEqual(['a\\%b'])
    expect(await titles('userName sw "%"')).toEqual([])
  })
})
