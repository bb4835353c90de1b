// What a page of docs/frameworks promises, asked of the app at BASE that was made from it: the same in each framework.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flowBuilder } from '@x/flow-engine/testing'

const { BASE, WITHOUT } = process.env
const ask = (path, init) => fetch(BASE + path, { redirect: 'manual', ...init })
const scim = (path, init) =>
  ask(`/scim/v2${path}`, {
    ...init,
    headers: {
      authorization: 'Bearer a-long-random-secret',
      'content-type': 'application/scim+json',
      ...init?.headers,
    },
  })

test('HO-80 a directory creates a user, finds it and changes it', async () => {
  const userName = 'grace@example.com'
  const created = await scim('/Users', { method: 'POST', body: JSON.stringify({ userName }) })
  const { id } = await created.json()
  assert.equal(created.status, 201)
  const filter = encodeURIComponent(`userName eq "${userName}"`)
  const found = await (await scim(`/Users?filter=${filter}`)).json()
  assert.deepEqual(
    found.Resources.map((one) => one.id),
    [id],
  )
  const changed = await scim(`/Users/${id}`, {
    method: 'PATCH',
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    }),
  })
  assert.equal((await changed.json()).active, false)
  assert.equal((await scim(`/Users/${id}`, { method: 'DELETE' })).status, 204)
})

test('HO-80 a stranger gets 401, and an unknown path 404, in the form of SCIM', async () => {
  const stranger = await scim('/Users', { headers: { authorization: 'Bearer wrong' } })
  assert.equal(stranger.status, 401)
  const nowhere = await scim('/Nothing')
  assert.equal(nowhere.status, 404)
  assert.match(nowhere.headers.get('content-type'), /^application\/scim\+json/)
})

test('HO-80 HO-46 HO-47 a client signs in, stores a large flow, lists it and runs it', async () => {
  const signIn = await ask('/flows/api/v1/login', {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: 'correct horse' }),
  })
  assert.equal(signIn.status, 200, await signIn.clone().text())
  const { access_token: token } = await signIn.json()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  // Over the limits that Express, SvelteKit and Next set for bodies that they read themselves.
  const data = { ...flow(), ballast: 'x'.repeat(1_200_000) }
  const stored = await ask('/flows/api/v1/flows/', {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'Echo', data }),
  })
  assert.equal(stored.status, 201)
  const { id } = await stored.json()
  // Packed with gzip at most once: otherwise it is no JSON.
  const listed = await (await ask('/flows/api/v1/flows/', { headers })).json()
  assert.ok(listed.some((one) => one.id === id))
  const made = await ask('/flows/api/v1/api_key/', {
    method: 'POST',
    headers,
    body: '{"name":"k"}',
  })
  const { api_key: key } = await made.json()
  const run = await ask(`/flows/api/v1/run/${id}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"input_value":"hello"}',
  })
  assert.match(await run.text(), /hello/)
})

test('HO-80 an unknown path of the flow API is answered in its form', async () => {
  const nowhere = await ask('/flows/api/v1/nothing-here')
  assert.equal(nowhere.status, 404)
  assert.deepEqual(await nowhere.json(), { detail: 'Not Found' })
})

test(
  'HO-80 a renderer receives the surface as it is streamed',
  { skip: WITHOUT === 'surface' },
  async () => {
    const leaving = new AbortController()
    const headers = { accept: 'text/event-stream' }
    const response = await ask('/surface', { headers, signal: leaving.signal })
    assert.match(response.headers.get('content-type'), /^text\/event-stream/)
    let text = ''
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes('Your name')) break
    }
    assert.match(text, /Your name/)
    leaving.abort()
  },
)

/** A message that is answered with itself. */
function flow() {
  const echo = flowBuilder()
  echo.connect(`${echo.add('ChatInput')}.message`, `${echo.add('ChatOutput')}.input_value`)
  return echo.toJSON().data
}
