import { existsSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import type { Answer } from '../journeys/service.ts'
import { useService } from './attack.ts'
import { readFlow } from './flow-of.ts'
import { addUser, run, saveFlow } from './flows.ts'

/** Published attacks on comparable services that concern several parts at once; SECURITY.md lists them. */
const running = useService({ SERVICE_WEBHOOK_AUTH_ENABLE: 'false' })
const MARK = 'evaluated-by-the-server'
let ada = ''

const call = (method: string, path: string, options = {}): Promise<Answer> =>
  running().call(method, path, options)

beforeAll(async () => {
  ada = await addUser(running(), 'ada')
})

test('CVE-2025-59528 (Flowise): the configuration of a tool server is never evaluated as code', async () => {
  const code = `({ url: process.mainModule.require('fs').writeFileSync('${MARK}', '') || globalThis['${MARK}'] })`
  for (const body of [code, JSON.stringify(code), { url: code }, { url: { toString: code } }]) {
    const headers = { 'content-type': 'application/json' }
    const made = await call('POST', '/api/v2/mcp/servers/evaluated', { key: ada, body, headers })
    expect([body, made.status < 500]).toEqual([body, true])
  }
  for (const mcp_server of [
    code,
    { name: 'x', config: code },
    { name: 'x', config: { url: code } },
  ]) {
    const flow = await saveFlow(
      running(),
      [
        ['MCPTools', { mcp_server, tool: 't' }],
        ['ChatOutput', {}, 'response>input_value'],
      ],
      { key: ada },
    )
    const answer = await run(running(), flow, ada)
    expect(answer.status).toBeGreaterThanOrEqual(400)
  }
  // Counting the tools of a stored server connects to it.
  await call('GET', '/api/v2/mcp/servers?action_count=true', { key: ada })
  expect(existsSync(MARK)).toBe(false)
})

test('CVE-2025-61914 (n8n): no answer of a webhook is a page', async () => {
  const made = await call('POST', '/api/v1/flows/', {
    body: { name: `hook ${MARK}`, endpoint_name: 'hook', webhook: true, data: await readFlow() },
  })
  const { id } = made.json() as { id: string }
  const page = '<html><script>alert(document.cookie)</script></html>'
  for (const place of [id, 'hook', encodeURIComponent(page)])
    for (const type of ['text/html', 'application/json', 'multipart/form-data; boundary=x']) {
      const headers = { 'content-type': type, accept: 'text/html' }
      const answer = await call('POST', `/api/v1/webhook/${place}`, {
        key: null,
        body: page,
        headers,
      })
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(() => answer.json()).not.toThrow()
    }
})

test('CVE-2026-45339 (Open WebUI): what an API key may not do it may not do by any way of sending it', async () => {
  const me = (await call('GET', '/api/v1/users/whoami', { key: ada })).json() as { id: string }
  const path = `/api/v1/users/${me.id}/reset-password`
  const body = { password: 'a-new-password-1' }
  for (const [query, headers] of [
    ['', { 'x-api-key': ada }],
    [`?x-api-key=${ada}`, {}],
    ['', { authorization: `Bearer ${ada}` }],
    ['', { authorization: `bearer  ${ada}`, 'x-api-key': ada }],
    ['', { cookie: `access_token_lf=${ada}` }],
  ] as const) {
    const answer = await call('PATCH', path + query, { key: null, body, headers })
    expect([query !== '', headers, [401, 403].includes(answer.status)]).toEqual([
      query !== '',
      headers,
      true,
    ])
  }
})
