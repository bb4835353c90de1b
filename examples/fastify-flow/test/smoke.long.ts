import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startExample, type Example } from '../../../tools/start-example.ts'

let example: Example
beforeAll(async () => {
  example = await startExample(new URL('../', import.meta.url))
})
afterAll(() => example.stop())

const call = (path: string, session: string, body?: string): Promise<Response> =>
  fetch(`${example.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { cookie: `theme=dark; session=${session}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  })

test('the app serves its own routes and the flow API to its own users', async () => {
  expect(await (await fetch(example.url)).text()).toBe('The app itself\n')
  expect((await call('/api/v1/users/whoami', 'nobody')).ok).toBe(false)
  const ada = await call('/api/v1/users/whoami', 'session-of-ada')
  expect(await ada.json()).toMatchObject({ username: 'ada', is_superuser: false })
})

test("the editor's catalogue contains the app's component", async () => {
  const catalogue: unknown = await (await call('/api/v1/all', 'session-of-ada')).json()
  expect(catalogue).toMatchObject({ processing: { Shout: { display_name: 'Shout' } } })
})

test('a flow with it runs for its owner only', async () => {
  const text = await readFile(new URL('../flow.json', import.meta.url), 'utf8')
  const created = await call('/api/v1/flows/', 'session-of-ada', text)
  expect(created.status).toBe(201)

  const body = JSON.stringify({ input_value: 'hello' })
  const run = await call('/api/v1/run/shout', 'session-of-ada', body)
  expect(run.status).toBe(200)
  expect(JSON.stringify(await run.json())).toContain('HELLO!')
  expect((await call('/api/v1/run/shout', 'session-of-grace', body)).status).toBe(403)
})
