import { afterAll, beforeAll, expect, test } from 'vitest'
import { startExample, type Example } from '../../../tools/start-example.ts'

let example: Example
beforeAll(async () => {
  example = await startExample(new URL('../', import.meta.url))
})
afterAll(() => example.stop())

test('the page loads the public renderer for the surface', async () => {
  const page = await fetch(example.url)
  expect(await page.text()).toContain('<surface-viewer surface="poll"')
  const script = await fetch(`${example.url}/page.js`)
  expect(script.headers.get('content-type')).toContain('text/javascript')
  expect(await script.text()).toContain('a2ui-surface')
})

/** Reads on until a part has arrived, and gives all that has. */
function reading(stream: Response): (part: string) => Promise<string> {
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async (part) => {
    while (!text.includes(part)) {
      const { done = true, value = '' } = (await reader?.read()) ?? {}
      if (done) throw new Error(`The stream ended without ${part}: ${text}`)
      text += value
    }
    return text
  }
}

test('a vote reaches all viewers', async () => {
  const leave = new AbortController()
  const headers = { accept: 'text/event-stream' }
  const stream = await fetch(`${example.url}/surface`, { headers, signal: leave.signal })
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
  const until = reading(stream)
  await until('No votes yet')

  const vote = {
    name: 'tea',
    surfaceId: 'poll',
    sourceComponentId: 'tea-button',
    timestamp: '2026-01-01T00:00:00Z',
    context: {},
  }
  const posted = await fetch(`${example.url}/surface`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userAction: vote }),
  })

  expect(posted.ok).toBe(true)
  await until('Tea 1, coffee 0')
  leave.abort()
})

test('viewers of three protocol versions share a form, and each submission is validated', async () => {
  const address = `${example.url}/sign-up`
  const leave = new AbortController()
  const watch = async (version: string) => {
    const headers = { accept: 'application/jsonl', 'a2ui-version': version }
    const stream = await fetch(address, { headers, signal: leave.signal })
    expect(stream.headers.get('a2ui-version')).toBe(version)
    return reading(stream)
  }
  const viewers = await Promise.all(['0.8', '0.9.1', '1.0'].map(watch))
  const seen = await Promise.all(viewers.map((until) => until('Nobody yet')))
  const begun = ['"surfaceUpdate"', '"version":"v0.9.1"', '"version":"v1.0"']
  expect(seen.map((text, at) => text.includes(begun[at] ?? ''))).toEqual([true, true, true])

  const send = async (message: object) => {
    const headers = { 'content-type': 'application/json' }
    return fetch(address, { method: 'POST', headers, body: JSON.stringify(message) })
  }
  const action = (mail: string) => ({
    name: 'sign-up',
    surfaceId: 'sign-up',
    sourceComponentId: 'send',
    timestamp: '2026-01-01T00:00:00Z',
    context: { mail },
  })
  expect((await send({ userAction: action('ida@') })).status).toBe(202)
  const [earlier = ''] = await Promise.all(viewers.map((until) => until('Enter an address.')))
  // What the user has typed in the viewer of 0.8 stays: the mail is not sent again.
  expect(earlier).toContain(
    '{"surfaceId":"sign-up","path":"/result","contents":[{"key":"text","valueString":"Enter an address.',
  )
  expect((await send({ version: 'v1.0', action: action('ida@example.org') })).status).toBe(202)
  await Promise.all(viewers.map((until) => until('Welcome, ida@example.org')))
  expect((await fetch(address, { headers: { 'a2ui-version': '2.0' } })).status).toBe(406)
  leave.abort()
})
