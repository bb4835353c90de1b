import { describe, expect, test } from 'vitest'
import { inFolder, startServer, type Environment, type Started } from '../server/start-server.ts'

const SCIM_TOKEN = 'a-token-of-the-directory-0123456789'

async function withServer(
  environment: Environment,
  use: (server: Started, apiKey: string) => Promise<void>,
): Promise<Started> {
  return inFolder(async (folder) => {
    const server = await startServer({
      SERVICE_CONFIG_DIR: folder,
      SCIM_ENABLED: 'true',
      SCIM_TOKEN,
      ...environment,
    })
    try {
      await use(server, /^API key: (\S+)/m.exec(server.output())?.[1] ?? '')
    } finally {
      await server.end('SIGTERM')
    }
    return server
  })
}

const requestLines = (server: Started): Record<string, unknown>[] =>
  server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"message":"request"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('OP-9, OP-10 request log', () => {
  test('logs one line per request, with the returned request id and no values of the caller', async () => {
    const ids: (string | null)[] = []
    const server = await withServer({}, async ({ url }, apiKey) => {
      const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
        const response = await fetch(`${url}${path}`, init)
        await response.text()
        ids.push(response.headers.get('x-request-id'))
        return response
      }
      const key = { 'x-api-key': apiKey, 'content-type': 'application/json' }
      const flow = '00000000-0000-4000-8000-00000000abcd'
      await ask('/api/v1/run/echo?secret=in-the-query', {
        method: 'POST',
        headers: { ...key, 'x-request-id': 'mine 1' },
        body: '{"input_value":"secret-in-the-body"}',
      })
      await ask(`/api/v1/flows/${flow}`, { headers: { ...key, 'x-request-id': 'é' } })
      await ask('/api/v1/scim/v2/Users/someone@example.com', {
        headers: { authorization: `Bearer ${SCIM_TOKEN}` },
      })
      await ask('/nothing-here/secret-in-the-path')
      await ask('/')
      await ask('/health')
    })
    const lines = requestLines(server)
    expect(lines.map(({ requestId }) => requestId)).toEqual(ids)
    expect(ids[0]).toBe('mine 1')
    expect(new Set(ids).size).toBe(6)
    for (const id of ids.slice(1)) expect(id).toMatch(/^[0-9a-f-]{36}$/)

    const shown = lines.map(({ method, route, status, userId, tenant }) => [
      method,
      route,
      status,
      userId === undefined ? '' : 'user',
      tenant ?? '',
    ])
    expect(shown).toEqual([
      ['POST', '/api/v1/run/{flow_id_or_name}', 200, 'user', ''],
      ['GET', '/api/v1/flows/{flow_id}', 404, 'user', ''],
      ['GET', '/api/v1/scim/v2/Users/{id}', 404, '', 'default'],
      ['GET', null, 404, '', ''],
      ['GET', null, 200, '', ''],
      ['GET', '/health', 200, '', ''],
    ])
    for (const { at, level, ms, bytes } of lines) {
      expect(Number.isNaN(Date.parse(String(at)))).toBe(false)
      expect([level, typeof ms]).toEqual(['info', 'number'])
      expect(bytes).toBeGreaterThan(50)
    }
    expect(JSON.stringify(lines)).not.toMatch(/secret|example\.com|abcd|sk-/)
  })

  test('LOG_LEVEL=warn omits the lines; LOG_FORMAT=pretty writes them human-readable', async () => {
    const quiet = await withServer({ LOG_LEVEL: 'warn' }, async ({ url }) => {
      await fetch(`${url}/health`)
    })
    expect(quiet.output()).not.toContain('/health"')
    const pretty = await withServer({ LOG_FORMAT: 'pretty' }, async ({ url }) => {
      await fetch(`${url}/health`, { headers: { 'x-request-id': 'seen' } })
      await fetch(`${url}/health`, { headers: { 'x-request-id': 'seen status=500' } })
    })
    expect(pretty.output()).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} info {4}request requestId=seen method=GET route=\/health status=200 /m,
    )
    // A client cannot write fields of its own.
    expect(pretty.output()).toContain(' requestId="seen status=500" method=GET ')
  })
})
