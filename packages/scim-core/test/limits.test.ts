import { describe, expect, test } from 'vitest'
import { BASE, createScim, MESSAGES, problem, TOKEN } from './support.ts'

describe('limits', () => {
  test('bodyBytes: 413 naming the limit, also without a length', async () => {
    const scim = createScim({ limits: { bodyBytes: 1_000 } })
    const answer = await scim.send('POST', '/Users', { body: `{"x":"${'y'.repeat(1_000)}"}` })
    expect(answer.body).toMatchObject(problem(413))
    expect(answer.body['detail']).toContain('1000')
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(600).fill(32))
      },
    })
    const request = new Request(`${BASE}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: stream,
      duplex: 'half',
    })
    expect((await scim.service.handle(request)).status).toBe(413)
  })

  test('AB-89 filterComparisons: many terms over many resources are 400 tooMany, few or indexed terms are not', async () => {
    const scim = createScim({ limits: { filterComparisons: 30 } })
    for (const n of [1, 2, 3]) await scim.user(`a${n}@b.example`)
    const list = (operator: string, count: number, join = ' or ') => {
      const filter = Array.from({ length: count }, () => `userName ${operator} "a1"`).join(join)
      return scim.send('GET', `/Users?filter=${encodeURIComponent(filter)}`)
    }
    const refused = await list('co', 11)
    expect(refused.body).toMatchObject(problem(400, 'tooMany'))
    expect(refused.body['detail']).toContain('30')
    expect((await list('ew', 11, ' and ')).status).toBe(400)
    for (const [operator, count] of [
      ['co', 10],
      ['eq', 40],
      ['sw', 40],
    ] as const)
      expect([operator, (await list(operator, count)).status]).toEqual([operator, 200])
  })

  test('AB-89 filterComparisons: filters that read all memberships count them, filters by id do not', async () => {
    const scim = createScim({ limits: { filterComparisons: 11 } })
    const ids: string[] = []
    for (const n of [1, 2, 3]) ids.push(await scim.user(`a${n}@b.example`))
    for (const name of ['g', 'h']) await scim.group(name, ids)
    const list = async (path: string, term: string, count: number): Promise<number> => {
      const filter = Array.from({ length: count }, () => term).join(' or ')
      return (await scim.send('GET', `${path}?filter=${encodeURIComponent(filter)}`)).status
    }
    for (const [path, term] of [
      ['/Groups', 'members.display eq "a1"'],
      ['/Groups', 'members[not (type ne "User")]'],
      ['/Users', 'groups.display co "g"'],
    ] as const) {
      expect([term, await list(path, term, 1)]).toEqual([term, 200])
      expect([term, await list(path, term, 2)]).toEqual([term, 400])
    }
    expect(await list('/Groups', `members.value eq "${ids[0] ?? ''}"`, 40)).toBe(200)
    expect(await list('/Users', 'groups.value sw "x"', 40)).toBe(200)
  })

  test('valuesPerAttribute, stringLength: 400 invalidValue', async () => {
    const scim = createScim({ limits: { valuesPerAttribute: 2, stringLength: 30 } })
    const emails = [1, 2, 3].map((n) => ({ value: `e${n}@x.example` }))
    for (const more of [{ emails }, { title: 'x'.repeat(31) }]) {
      const answer = await scim.post('/Users', { userName: 'a@b.example', ...more })
      expect(answer.body).toMatchObject(problem(400, 'invalidValue'))
    }
    const id = await scim.user('a@b.example', { emails: emails.slice(0, 2) })
    const added = await scim.patch(`/Users/${id}`, [
      { op: 'add', path: 'emails', value: emails[2] },
    ])
    expect(added.body).toMatchObject(problem(400, 'invalidValue'))
  })

  test('patchOperations, membersPerRequest: 413', async () => {
    const scim = createScim({ limits: { patchOperations: 2, membersPerRequest: 2 } })
    const group = await scim.group('g')
    const op = { op: 'remove', path: 'members', value: [{ value: 'a' }, { value: 'b' }] }
    expect((await scim.patch(`/Groups/${group}`, [op])).status).toBe(200)
    expect((await scim.patch(`/Groups/${group}`, [op, op])).status).toBe(413)
    const simple = { op: 'add', path: 'externalId', value: 'x' }
    expect((await scim.patch(`/Groups/${group}`, [simple, simple, simple])).status).toBe(413)
    const members = ['a', 'b', 'c'].map((value) => ({ value }))
    expect((await scim.put(`/Groups/${group}`, { displayName: 'g', members })).status).toBe(413)
    expect((await scim.post('/Groups', { displayName: 'h', members })).status).toBe(413)
  })

  test('filterLength, filterTerms, filterDepth: 400 invalidFilter', async () => {
    const scim = createScim()
    const many = (n: number): string => Array.from({ length: n }, () => 'title pr').join(' or ')
    expect(await scim.names(many(64))).toEqual([])
    expect(await scim.names(many(65))).toEqual([400, 'invalidFilter'])
    const deep = (n: number): string => `${'('.repeat(n)}title pr${')'.repeat(n)}`
    expect(await scim.names(deep(32))).toEqual([])
    expect(await scim.names(deep(33))).toEqual([400, 'invalidFilter'])
    expect(await scim.names(`title eq "${'x'.repeat(4_096)}"`)).toEqual([400, 'invalidFilter'])
  })

  test('the limits of filters hold inside paths too', async () => {
    const scim = createScim({ limits: { filterTerms: 1, filterDepth: 1 } })
    const id = await scim.user('a@b.example')
    for (const filter of ['type pr or value pr', '(type pr)']) {
      const operation = { op: 'remove', path: `emails[${filter}]` }
      expect((await scim.patch(`/Users/${id}`, [operation])).body).toMatchObject(
        problem(400, 'invalidFilter'),
      )
    }
    const good = [{ op: 'remove', path: 'emails[type pr]' }]
    expect((await scim.patch(`/Users/${id}`, good)).status).toBe(200)
  })

  test('pathLength: 400 invalidPath; attributesListed: 400 invalidValue', async () => {
    const scim = createScim()
    const id = await scim.user('a@b.example')
    const path = `emails[value eq "${'x'.repeat(1_024)}"]`
    expect((await scim.patch(`/Users/${id}`, [{ op: 'remove', path }])).body).toMatchObject(
      problem(400, 'invalidPath'),
    )
    const names = Array.from({ length: 65 }, (_, n) => `a${n}`).join(',')
    expect((await scim.get(`/Users?attributes=${names}`)).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
    expect((await scim.get(`/Users/${id}?excludedAttributes=${names}`)).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
  })
})

describe('default limits', () => {
  const strings = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`)
  const operation = { op: 'add', path: 'title', value: 'x' }

  test.each([
    ['patchOperations', 1_000, (n: number) => ({ Operations: strings(n).map(() => operation) })],
    ['membersPerRequest', 10_000, (n: number) => ({ members: strings(n) })],
  ] as const)('SC-12 %s: %i, else 413 with the number', async (name, limit, bodyOf) => {
    const scim = createScim({ unknownMembers: 'skip' })
    const path =
      name === 'patchOperations'
        ? `/Users/${await scim.user('a@x.example')}`
        : `/Groups/${await scim.group('g')}`
    expect((await scim.patch(path, bodyOf(limit))).status).toBe(200)
    const { status, body } = await scim.patch(path, bodyOf(limit + 1))
    expect([status, body['detail']]).toEqual([413, expect.stringContaining(String(limit))])
  })

  test('bodyBytes and bulkBytes: 1048576, else 413 with the number', async () => {
    const scim = createScim({ bulk: true })
    for (const path of ['/Users', '/Bulk']) {
      const fits = await scim.send('POST', path, { body: ' '.repeat(1_048_576) })
      expect(fits.status).toBe(400)
      const { status, body } = await scim.send('POST', path, { body: ' '.repeat(1_048_577) })
      expect([status, body['detail']]).toEqual([413, expect.stringContaining('1048576')])
    }
  })

  test('valuesPerAttribute: 1000; stringLength: 65536; else 400 invalidValue', async () => {
    const scim = createScim()
    const ims = (count: number): object => ({ ims: strings(count).map((value) => ({ value })) })
    const title = (length: number): object => ({ title: 'x'.repeat(length) })
    const id = await scim.user('a@x.example', { ...ims(1_000), ...title(65_536) })
    for (const more of [ims(1_001), title(65_537)]) {
      const answer = await scim.put(`/Users/${id}`, { userName: 'a@x.example', ...more })
      expect(answer.body).toMatchObject(problem(400, 'invalidValue'))
    }
    const value = strings(1_001).map((one) => ({ value: one }))
    const removal = await scim.patch(`/Users/${id}`, [{ op: 'remove', path: 'ims', value }])
    expect(removal.body).toMatchObject(problem(400, 'invalidValue'))
  })

  test('attributesListed: 64 of both together; pathLength: 1024', async () => {
    const scim = createScim()
    for (const parameter of ['attributes', 'excludedAttributes']) {
      expect((await scim.get(`/Users?${parameter}=${strings(64).join(',')}`)).status).toBe(200)
      const { body } = await scim.get(`/Users?${parameter}=${strings(65).join(',')}`)
      expect(body).toMatchObject(problem(400, 'invalidValue'))
    }
    const id = await scim.user('a@x.example')
    const path = (length: number): string => `emails[value eq "${'x'.repeat(length - 19)}"]`
    expect(path(1_024)).toHaveLength(1_024)
    const remove = (length: number) =>
      scim.patch(`/Users/${id}`, [{ op: 'remove', path: path(length) }])
    expect((await remove(1_024)).status).toBe(200)
    expect((await remove(1_025)).body).toMatchObject(problem(400, 'invalidPath'))
  })

  test('SC-64 bulkOperations: 1000, as the configuration says', async () => {
    const scim = createScim({ bulk: true })
    const { body } = await scim.get('/ServiceProviderConfig')
    expect(body['bulk']).toEqual({
      supported: true,
      maxOperations: 1_000,
      maxPayloadSize: 1_048_576,
    })
    const send = (count: number) =>
      scim.post('/Bulk', { schemas: [`${MESSAGES}:BulkRequest`], Operations: strings(count) })
    expect((await send(1_000)).status).toBe(200)
    expect((await send(1_001)).status).toBe(413)
  })
})
