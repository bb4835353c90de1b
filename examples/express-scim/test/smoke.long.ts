import { afterAll, beforeAll, expect, test } from 'vitest'
import { startExample, type Example } from '../../../tools/start-example.ts'

let example: Example
beforeAll(async () => {
  example = await startExample(new URL('../', import.meta.url))
})
afterAll(() => example.stop())

const call = (path: string, key?: string, body?: object): Promise<Response> =>
  fetch(`${example.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(key === undefined ? {} : { 'x-customer-key': key }),
      'content-type': 'application/scim+json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

test('the app serves its own routes beside SCIM', async () => {
  expect(await (await call('/')).text()).toBe('The app itself\n')
})

test("requests are authenticated by the app's own authentication", async () => {
  const refused = await call('/scim/v2/Users')
  expect([refused.status, await refused.json()]).toEqual([401, { error: 'Send a customer key' }])
  expect((await call('/scim/v2/Users', 'no-key')).status).toBe(401)
})

test('each customer provisions its own users', async () => {
  const created = await call('/scim/v2/Users', 'key-of-acme', { userName: 'ada@acme.example' })
  expect(created.status).toBe(201)
  expect(created.headers.get('location')).toMatch(/^https:\/\/app\.example\/scim\/v2\/Users\//)

  const own = await call('/scim/v2/Users', 'key-of-acme')
  expect(await own.json()).toMatchObject({ Resources: [{ userName: 'ada@acme.example' }] })
  const other = await call('/scim/v2/Users', 'key-of-globex')
  expect(await other.json()).toMatchObject({ totalResults: 0 })
})
