import { beforeEach, expect, test } from 'vitest'
import { createScim, problem, type Harness } from './support.ts'

let scim: Harness
let path: string

beforeEach(async () => {
  scim = createScim({ etag: true })
  path = `/Users/${await scim.user('a@corp.example')}`
})

const tagOf = async (target = path): Promise<string | null> =>
  (await scim.get(target)).headers.get('etag')

test('SC-61 meta.version and the ETag header are equal and change with each effective change', async () => {
  const { headers, body } = await scim.get(path)
  expect(headers.get('etag')).toBe('W/"1"')
  expect(body['meta']).toHaveProperty('version', 'W/"1"')
  const patched = await scim.patch(path, [{ op: 'add', path: 'title', value: 'x' }])
  expect(patched.headers.get('etag')).toBe('W/"2"')
  const same = await scim.patch(path, [{ op: 'add', path: 'title', value: 'x' }])
  expect(same.headers.get('etag')).toBe('W/"2"')
  expect((await scim.post('/Users', { userName: 'b@corp.example' })).headers.get('etag')).toBe(
    'W/"1"',
  )
  expect((await scim.get('/ServiceProviderConfig')).body['etag']).toEqual({ supported: true })
  expect(await scim.names('meta.version eq "W/\\"2\\""')).toEqual(['a@corp.example'])
})

test('SC-61 membership changes the group, not the user', async () => {
  const id = path.slice('/Users/'.length)
  const group = `/Groups/${await scim.group('g')}`
  await scim.patch(group, [{ op: 'add', path: 'members', value: [{ value: id }] }])
  expect([await tagOf(group), await tagOf()]).toEqual(['W/"2"', 'W/"1"'])
})

test('SC-20 SC-61 a group that loses a member by DELETE has a new version', async () => {
  for (const deleteUser of ['tombstone', 'remove'] as const) {
    const gone = createScim({ etag: true, deleteUser })
    const member = await gone.user('a@corp.example')
    const group = `/Groups/${await gone.group('g', [member])}`
    await gone.runtime.advance(5)
    await gone.delete(`/Users/${member}`)
    const { headers, body } = await gone.get(group)
    expect(headers.get('etag')).toBe('W/"2"')
    expect(body).toMatchObject({
      members: [],
      meta: { lastModified: gone.runtime.now().toISOString() },
    })
  }
})

test.each(['W/"1"', '"1"', '*', 'W/"9", W/"1"'])(
  'SC-61 If-None-Match %s: 304 without body',
  async (tag) => {
    const { status, headers, body } = await scim.get(path, { 'if-none-match': tag })
    expect([status, headers.get('etag'), body]).toEqual([304, 'W/"1"', {}])
    expect((await scim.get(path, { 'if-none-match': 'W/"9"' })).status).toBe(200)
  },
)

test('SC-61 If-Match that does not match: 412 and nothing changed; target before match, match before body', async () => {
  const stale = { 'if-match': 'W/"7"' }
  for (const answer of [
    await scim.patch(path, [{ op: 'add', path: 'title', value: 'x' }], stale),
    await scim.put(path, { title: 5 }, stale),
    await scim.delete(path, stale),
  ]) {
    expect(answer.body).toMatchObject(problem(412))
  }
  expect((await scim.get(path)).body).toMatchObject({ active: true, meta: { version: 'W/"1"' } })
  expect((await scim.put('/Users/nobody', {}, stale)).status).toBe(404)
  expect(
    (await scim.put(path, { userName: 'a@corp.example', title: 'x' }, { 'if-match': 'W/"1"' }))
      .status,
  ).toBe(200)
  expect((await scim.delete(path, { 'if-match': '*' })).status).toBe(204)
})

test('SC-61 groups honour If-Match on every write and send a tag with 204', async () => {
  const large = createScim({ etag: true, patchBodyMembers: 0 })
  const group = `/Groups/${await large.group('g')}`
  const stale = { 'if-match': 'W/"7", W/"8"' }
  const op = [{ op: 'replace', path: 'displayName', value: 'h' }]
  for (const answer of [
    await large.patch(group, op, stale),
    await large.put(group, { displayName: 'h' }, stale),
    await large.delete(group, stale),
  ]) {
    expect(answer.body).toMatchObject(problem(412))
  }
  expect((await large.get(group)).body['displayName']).toBe('g')
  const { status, headers } = await large.patch(group, op, { 'if-match': 'W/"7", "1"' })
  expect([status, headers.get('etag')]).toEqual([204, 'W/"2"'])
  expect((await large.delete(group, { 'if-match': 'W/"2"' })).status).toBe(204)
})

test('SC-61 of two writers with the same tag one fails', async () => {
  const write = (title: string): Promise<{ status: number }> =>
    scim.patch(path, [{ op: 'replace', path: 'title', value: title }], { 'if-match': 'W/"1"' })
  const answers = await Promise.all([write('a'), write('b')])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
})

test('SC-61 when off there are no tags, and both headers are ignored', async () => {
  const plain = createScim()
  const target = `/Users/${await plain.user('a@corp.example')}`
  expect((await plain.get(target, { 'if-none-match': '*' })).status).toBe(200)
  expect((await plain.delete(target, { 'if-match': 'W/"7"' })).status).toBe(204)
})
