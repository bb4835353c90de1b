import { expect, test } from 'vitest'
import { blockWith, load } from './blocks.ts'

type Handler = (request: Request) => Promise<Response>

const ADDRESS = 'https://app.example/refunds'

/** The messages that a new viewer gets, up to one with a text. */
async function shownTo(handler: Handler, user: string, last: string): Promise<string> {
  const leave = new AbortController()
  const headers = { accept: 'application/jsonl', 'x-user': user }
  const response = await handler(new Request(ADDRESS, { headers, signal: leave.signal }))
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(last)) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) throw new Error(`The stream has ended early: ${text}`)
    text += value
  }
  leave.abort()
  return text
}

test('docs/guides/surfaces.md: only authorised users can change the surface', async () => {
  const code = await blockWith('docs/guides/surfaces.md', 'export const refunds')
  const { refunds } = await load<{ refunds: Handler }>('surfaces', code)
  expect((await refunds(new Request(ADDRESS))).status).toBe(401)

  const [, button] =
    /"id":"([^"]+)","component":\{"Button"/.exec(await shownTo(refunds, 'bob', 'beginRendering')) ??
    []
  const userAction = {
    name: 'approve',
    surfaceId: 'refund',
    sourceComponentId: button,
    timestamp: new Date(0).toISOString(),
    context: {},
  }
  const press = async (user: string, changed: object = {}) => {
    const headers = { 'content-type': 'application/json', 'x-user': user }
    const body = JSON.stringify({ userAction: { ...userAction, ...changed } })
    return (await refunds(new Request(ADDRESS, { method: 'POST', headers, body }))).status
  }

  expect(await press('bob')).toBe(202)
  expect(await press('ada', { sourceComponentId: 'another' })).toBe(202)
  expect(await press('ada')).toBe(202)
  const shown = await shownTo(refunds, 'bob', 'approved by ada')
  expect(shown.split('dataModelUpdate')).toHaveLength(3)
})
