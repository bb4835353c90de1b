import { createScimService, type ObservedRequest, type RequestEnd } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { expect, test } from 'vitest'
import { BASE, TOKEN } from './support.ts'

test('OP-1, OP-10 request hooks get the route pattern without ids, the tenant, the outcome and the returned request id', async () => {
  const seen: [ObservedRequest, RequestEnd][] = []
  const { handle } = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    requestHooks: { onRequestEnd: (request, end) => void seen.push([request, end]) },
  })
  const ask = (path: string, token = TOKEN) =>
    handle(
      new Request(`${BASE}${path}`, {
        headers: { authorization: `Bearer ${token}`, 'x-request-id': 'given' },
      }),
    )
  const paths = ['/Users?filter=x', '/users/42', '/Groups/7', '/Schemas/urn:a', '/Users/a/b', '/Me']
  for (const path of paths) expect((await ask(path)).headers.get('x-request-id')).toBe('given')
  await ask('/Users', 'wrong')
  const base = new URL(BASE).pathname
  expect(seen.map(([{ route, tenant }, { status }]) => [route, tenant, status])).toEqual([
    [`${base}/Users`, 'default', 400],
    [`${base}/Users/{id}`, 'default', 404],
    [`${base}/Groups/{id}`, 'default', 404],
    [`${base}/Schemas/{name}`, 'default', 404],
    [null, 'default', 404],
    [`${base}/Me`, 'default', 501],
    [`${base}/Users`, undefined, 401],
  ])
})
