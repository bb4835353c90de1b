import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScimHandler } from '@x/scim-core'
import { describe, expect, test, vi } from 'vitest'
import { BASE, createScim, ERROR, TOKEN } from './support.ts'

describe('SC-11 SC-12 errors', () => {
  test('the body has schemas, status as a string and one sentence', async () => {
    const { headers, body } = await createScim().get('/Users/nobody')
    expect(headers.get('content-type')).toBe('application/scim+json')
    expect(body).toEqual({ schemas: [ERROR], status: '404', detail: 'User nobody does not exist.' })
  })

  test('values of the client are cut to 100 characters', async () => {
    for (const length of [101, 3_000]) {
      const { body } = await createScim().get(`/Users/${'x'.repeat(length)}`)
      expect(body['detail']).toBe(`User ${'x'.repeat(100)}... does not exist.`)
    }
    const { body } = await createScim().get('/Users/a%00%1b%0Ab')
    expect(body['detail']).toBe('User a\u{FFFD}\u{FFFD}\u{FFFD}b does not exist.')
  })

  test('a failing store is 500 with a fixed text; the error goes to onError and the event', async () => {
    const store = createMemoryScimStore()
    const failure = new Error('password=hunter2 at /srv/db.ts')
    const scim = createScim({
      store: { ...store, users: { ...store.users, get: () => Promise.reject(failure) } },
    })
    const { status, body } = await scim.get('/Users/x')
    expect(status).toBe(500)
    expect(body).toEqual({ schemas: [ERROR], status: '500', detail: 'Internal error' })
    expect(scim.errors).toEqual([failure])
    expect(scim.events).toEqual(['error', 'audit'])
  })

  test('a store that cannot be reached is 503 with Retry-After', async () => {
    const { StoreUnavailableError } = await import('@x/scim-core')
    const store = createMemoryScimStore()
    const down = { ...store, transaction: () => Promise.reject(new StoreUnavailableError()) }
    const { status, headers } = await createScim({ store: down }).post('/Users', {
      userName: 'a@b.example',
    })
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  })

  test('SH-73 without onError a 500 is written to the console once, with its request id', async () => {
    const store = createMemoryScimStore()
    const failure = new Error('the disk is gone')
    const failing = { ...store, users: { ...store.users, get: () => Promise.reject(failure) } }
    const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    try {
      const options = {
        store: failing,
        baseUrl: BASE,
        auth: { kind: 'token', token: TOKEN },
      } as const
      const request = (): Request =>
        new Request(`${BASE}/Users/x`, { headers: { authorization: `Bearer ${TOKEN}` } })
      const context = { requestId: 'request-7' }
      expect((await createScimHandler(options)(request(), context)).status).toBe(500)
      expect(written.mock.calls).toEqual([['SCIM request request-7 failed:', failure]])
      const silent = createScimHandler({ ...options, onError: () => undefined })
      expect((await silent(request(), context)).status).toBe(500)
      expect(written).toHaveBeenCalledTimes(1)
    } finally {
      written.mockRestore()
    }
  })

  test('a handler never rejects, even when onError and audit throw', async () => {
    const boom = (): never => {
      throw new Error('boom')
    }
    const scim = createScim({ onError: boom, audit: boom })
    expect((await scim.get('/Users')).status).toBe(200)
  })
})

describe('SC-72 details of errors', () => {
  test.each([
    ['a userName in use', '/Users', { userName: 'literal@x.example' }],
    [
      'a primary e-mail',
      '/Users',
      { userName: 'b@x.example', emails: [{ value: 'literal@x.example', primary: true }] },
    ],
    ['a group name in use', '/Groups', { displayName: 'literal' }],
    ['a wrong value', '/Users', { userName: 'c@x.example', active: 'literal' }],
  ])('%s is not in the body', async (_, path, body) => {
    const scim = createScim()
    await scim.user('literal@x.example')
    await scim.group('literal')
    const answer = await scim.post(path, body)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(answer.body)).not.toContain('literal')
  })

  test.each([
    "title eq 'literal'",
    'title eq "x" "literal"',
    'title eq "literal',
    'shoes[type eq "literal"].value eq "x"',
    'active eq "literal"',
    'name.givenName[value eq "literal"]',
  ])('no literal of a filter: %s', async (filter) => {
    const { status, body } = await createScim().get(`/Users?filter=${encodeURIComponent(filter)}`)
    expect([status, body['scimType']]).toEqual([400, 'invalidFilter'])
    expect(JSON.stringify(body)).not.toContain('literal')
  })

  test.each([
    'ims[type sw "literal"].value',
    'emails[type eq "literal"',
    'shoes[type eq "literal"]',
    'name[value eq "literal"]',
    'groups[value eq "literal"]',
    'title "literal"',
  ])('no literal of a path: %s', async (path) => {
    const scim = createScim()
    const id = await scim.user('a@x.example')
    const { status, body } = await scim.patch(`/Users/${id}`, [{ op: 'replace', path, value: 'v' }])
    expect(status).toBe(400)
    expect(JSON.stringify(body)).not.toContain('literal')
  })
})
