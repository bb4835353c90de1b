import { afterAll, beforeAll, expect, test } from 'vitest'
import { startExample, type Example } from '../../../tools/start-example.ts'

let example: Example
beforeAll(async () => {
  example = await startExample(new URL('../', import.meta.url))
}, 60_000)
afterAll(() => example.stop())

test('the page shows the surface with the public renderer', async () => {
  const page = await fetch(example.url)
  expect(await page.text()).toContain('<surface-viewer surface="poll"')
  const script = await fetch(`${example.url}/page.js`)
  expect(script.headers.get('content-type')).toContain('text/javascript')
  expect(await script.text()).toContain('a2ui-surface')
}, 30_000)

test('a vote reaches everybody who watches', async () => {
  const leave = new AbortController()
  const headers = { accept: 'text/event-stream' }
  const stream = await fetch(`${example.url}/surface`, { headers, signal: leave.signal })
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (part: string): Promise<void> => {
    while (!text.includes(part)) text += (await reader?.read())?.value ?? ''
  }
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
