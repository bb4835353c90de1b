import {
  createScimService,
  type ScimAuditEntry,
  type ScimOptions,
  type ScimStore,
} from '@x/scim-core'
import { createScimStore } from '@x/store-kysely/scim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileDatabase, type TestDatabase } from './databases.ts'
import { seedLargeGroups } from './large-groups.ts'
import { BASE, request, TOKEN } from './scim-handler.ts'

const MEMBERS = 12_000

describe('SH-64 answers with more than 10,000 members', () => {
  let database: TestDatabase
  let store: ScimStore
  beforeAll(async () => {
    database = await fileDatabase()
    await seedLargeGroups(database.db, { groups: 3, members: MEMBERS })
    store = createScimStore(database.db)
  })
  afterAll(() => database.close())

  const serve = (options: Partial<ScimOptions> = {}) => {
    const entries: ScimAuditEntry[] = []
    const errors: unknown[] = []
    const { handle } = createScimService({
      store,
      baseUrl: BASE,
      auth: { kind: 'token', token: TOKEN },
      audit: (entry) => void entries.push(entry),
      onError: (error) => errors.push(error),
      ...options,
    })
    const get = (path: string): Promise<Response> => handle(request('GET', path))
    return { get, handle, entries, errors }
  }

  test.each([
    '',
    'attributes=members',
    'attributes=displayName,members.value',
    'excludedAttributes=meta,members.display',
  ])('are the same bytes as one that is built whole: ?%s', async (query) => {
    const { get, entries } = serve()
    const small = await (
      await serve().handle(
        request('POST', `/Groups?${query}`, {
          displayName: `small ${query}`,
          members: [{ value: 'u000000' }, { value: 'u000001' }],
        }),
      )
    ).text()
    const text = await (await get(`/Groups/g1?${query}`)).text()
    const body = JSON.parse(text) as Record<string, unknown>
    const model = JSON.parse(small) as Record<string, unknown>
    expect(JSON.stringify(body)).toBe(text)
    expect(Object.keys(body)).toEqual(Object.keys(model))
    const members = body['members'] as unknown[]
    expect(members).toHaveLength(MEMBERS)
    expect(members.slice(0, 2)).toEqual(model['members'])
    expect(new Set(members.map((member) => JSON.stringify(member))).size).toBe(MEMBERS)
    expect(entries).toMatchObject([{ op: 'read', status: 200 }])
    expect(entries[0]).not.toHaveProperty('aborted')
  })

  test('lists are whole too, by page, search and cursor', { tags: ['long'] }, async () => {
    const { get, handle } = serve({ cursor: true })
    const filter = encodeURIComponent('displayName sw "group"')
    const search = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: 'displayName sw "group"',
      sortBy: 'displayName',
    }
    for (const answer of [
      await get(`/Groups?filter=${filter}`),
      await get(`/Groups?filter=${filter}&cursor`),
      await handle(request('POST', '/Groups/.search', search)),
      await handle(request('POST', '/.search', search)),
    ]) {
      expect(answer.headers.get('content-type')).toBe('application/scim+json')
      const body = (await answer.json()) as { Resources: { members: unknown[] }[] }
      expect(body).toMatchObject({ totalResults: 3, itemsPerPage: 3 })
      expect(body.Resources.map(({ members }) => members.length)).toEqual([
        MEMBERS,
        MEMBERS,
        MEMBERS,
      ])
    }
  })

  test('beyond membersPerAnswer they are 400 tooMany before the first byte', async () => {
    const { get, entries } = serve({ limits: { membersPerAnswer: 30_000 } })
    const filter = encodeURIComponent('displayName sw "group"')
    const answer = await get(`/Groups?filter=${filter}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      scimType: 'tooMany',
      detail:
        'The answer would hold more than 30000 members. Ask for fewer groups, or leave them out with excludedAttributes=members.',
    })
    expect(entries).toMatchObject([{ status: 400, scimType: 'tooMany' }])
    expect((await get(`/Groups?filter=${filter}&excludedAttributes=members`)).status).toBe(200)
    const one = await get('/Groups/g0')
    expect(one.status).toBe(200)
    await one.body?.cancel()
  })

  test('an error after the first byte ends the stream, and goes to onError and the audit log', async () => {
    const failure = new Error('the disk is gone')
    // A store that gives its members one by one.
    const members = Object.fromEntries(
      Object.entries(store.members).filter(([name]) => name !== 'pages'),
    ) as unknown as ScimStore['members']
    const failing: ScimStore = {
      ...store,
      members: {
        ...members,
        async *list(...args) {
          let count = 0
          for await (const row of store.members.list(...args)) {
            if (++count === MEMBERS - 500) throw failure
            yield row
          }
        },
      },
    }
    const { get, entries, errors } = serve({ store: failing })
    const answer = await get('/Groups/g0')
    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toBe(failure)
    expect(errors).toEqual([failure])
    expect(entries).toMatchObject([{ status: 200, aborted: true }])
  })

  test('a client that leaves ends the read, and the audit log records it', async () => {
    const { get, entries, errors } = serve()
    const reader = (await get('/Groups/g0')).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(entries).toMatchObject([{ status: 200, aborted: true }])
    expect(errors).toEqual([])
  })
})
