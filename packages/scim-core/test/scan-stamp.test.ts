import { createScimService } from '@x/scim-core'
import { createScanStore } from '@x/scim-core/scan'
import { defineScimStoreContract } from '@x/scim-core/testing'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { createArrayHost, type ArrayHost } from './scan-host.ts'
import { BASE, createScim, TOKEN } from './support.ts'

const TENANT = 'default'

/** A host whose stamp is the number of its saves. */
function stampedHost(): ArrayHost & { readonly loads: () => number; stamps: number } {
  const host = createArrayHost({ honoursWant: false })
  let loads = 0
  return Object.assign(host, {
    stamps: 0,
    loads: () => loads,
    async stamp() {
      return host.saves.length
    },
    load: (
      (inner) =>
      async (...args: Parameters<ArrayHost['load']>) => {
        loads += 1
        return inner(...args)
      }
    )(host.load.bind(host)),
  })
}

defineScimStoreContract(
  { describe, it, beforeEach, afterEach },
  { name: 'SH-3 SH-4 arrays with a stamp', create: () => createScanStore(stampedHost()) },
)

describe('SH-3 an equal stamp', () => {
  test('reuses the last full load until something is saved', async () => {
    const host = stampedHost()
    const scim = createScim({ store: createScanStore(host) })
    const id = await scim.user('ada@corp.example')
    await scim.get(`/Users/${id}`)
    const before = host.loads()
    for (let n = 0; n < 5; n += 1) {
      expect((await scim.get(`/Users/${id}`)).status).toBe(200)
      expect(await scim.names('userName eq "ADA@corp.example"')).toEqual(['ada@corp.example'])
    }
    expect(host.loads()).toBe(before)
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value: 'x' }])
    expect((await scim.get(`/Users/${id}`)).body['title']).toBe('x')
    expect(host.loads()).toBe(before + 1)
  })

  test('refuses more rows than one load may return, as without a stamp', async () => {
    const host = stampedHost()
    host.rowsOf(TENANT).users.push(...['a', 'b', 'c'].map((id) => ({ id, userName: id })))
    const scim = createScim({ store: createScanStore({ ...host, maxUsers: 2 }) })
    expect((await scim.get('/Users/a')).status).toBe(500)
    expect(scim.errors).toMatchObject([{ name: 'ScanLimitError' }])
  })
})

test('SH-5 entity tags need a version: the first write says so', async () => {
  const host = createArrayHost({ honoursWant: true })
  host.rowsOf(TENANT).users.push({ id: '1', userName: 'ada@corp.example' })
  host.rowsOf(TENANT).groups.push({ id: 'g', displayName: 'Admins' })
  const errors: unknown[] = []
  const scim = createScim({
    store: createScanStore(host),
    etag: true,
    onError: (error) => errors.push(error),
  })
  expect((await scim.get('/Users/1')).status).toBe(200)
  const title = [{ op: 'replace', path: 'title', value: 'x' }]
  expect((await scim.patch('/Users/1', title)).status).toBe(500)
  expect((await scim.put('/Groups/g', { displayName: 'Staff' })).status).toBe(500)
  const failure = {
    name: 'ScimConfigError',
    option: 'etag',
    message: 'The scan store keeps no version',
  }
  expect(errors).toMatchObject([failure, failure])
  expect(host.saves).toEqual([])
  const service = createScimService({
    store: createScanStore(host),
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
  })
  await service.users.patch(TENANT, '1', [{ op: 'replace', path: 'title', value: 'x' }])
  expect(host.saves).toHaveLength(1)
})
