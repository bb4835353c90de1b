import assert from 'node:assert/strict'
import { test } from 'node:test'

test('HO-35 the pages router serves SCIM too', async () => {
  const response = await fetch(`${process.env.BASE}/api/scim/v2/Users`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer a-long-random-secret',
      'content-type': 'application/scim+json',
    },
    body: JSON.stringify({ userName: 'ada@example.com' }),
  })
  assert.equal(response.status, 201)
  assert.match(response.headers.get('location'), /\/api\/scim\/v2\/Users\//)
})
