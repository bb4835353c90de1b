import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inFolder, START, startServer, type Started } from '../server/start-server.ts'

const KEY = /^API key: (\S+) \(shown once\)$/m
const PASSWORD = /^Superuser: admin, password (\S+) \(shown once\)$/m

/** Sends the request of a printed `curl` line. */
async function send(line: string): Promise<Response> {
  const [, method = '', url = ''] = /curl -X (\w+) (\S+)/.exec(line) ?? []
  const headers = [...line.matchAll(/-H '([\w-]+): ([^']*)'/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  )
  const body = / -d '([^']*)'/.exec(line)?.[1] ?? ''
  return fetch(url, { method, headers, body })
}

const lineWith = (server: Started, part: string): string =>
  server
    .output()
    .split('\n')
    .find((line) => line.includes(part)) ?? ''

test('with a public URL, the addresses for other programs are public and those to try are local', () =>
  inFolder(async (folder) => {
    const server = await startServer({
      SERVICE_CONFIG_DIR: folder,
      SERVICE_PUBLIC_URL: 'https://flows.example',
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: 'a-long-random-secret',
    })
    expect(lineWith(server, 'Listening on')).toBe(`Listening on ${server.url}`)
    expect(lineWith(server, 'SCIM: ')).toBe('SCIM: on, https://flows.example/api/v1/scim/v2')
    expect(lineWith(server, 'MCP: ')).toMatch(/^MCP: https:\/\/flows\.example\/api\/v1\/mcp\//)
    expect(lineWith(server, 'curl')).toContain(server.url)
    await server.end('SIGTERM')
  }))

test('with a password of the operator, no secret is printed and no key is made', () =>
  inFolder(async (folder) => {
    const password = 'a password of the operator'
    const server = await startServer({
      SERVICE_CONFIG_DIR: folder,
      SERVICE_SUPERUSER: 'mira',
      SERVICE_SUPERUSER_PASSWORD: password,
    })
    expect(lineWith(server, 'Superuser')).toBe(
      'Superuser: mira, with the password of SERVICE_SUPERUSER_PASSWORD',
    )
    expect(server.output()).not.toMatch(/sk-|shown once/)
    expect(server.output()).not.toContain(password)
    expect(server.output()).toContain('make one in the console, under API keys')
    expect(lineWith(server, '/api/v1/run/echo')).toContain('YOUR_KEY')

    const signedIn = await fetch(`${server.url}/api/v1/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'mira', password }),
    })
    const { access_token: token } = (await signedIn.json()) as { access_token: string }
    const headers = { authorization: `Bearer ${token}` }
    const keys = await fetch(`${server.url}/api/v1/api_key/`, { headers })
    expect(await keys.json()).toMatchObject({ total_count: 0 })
    const flows = await fetch(`${server.url}/api/v1/flows/`, { headers })
    expect(await flows.json()).toMatchObject([{ name: 'echo' }])
    await server.end('SIGTERM')
  }))

describe('the first start', () => {
  let stop: () => void
  let server: Started
  let done: Promise<void>
  let folder = ''

  beforeAll(async () => {
    const released = new Promise<void>((resolve) => {
      stop = resolve
    })
    await new Promise<void>((ready, failed) => {
      done = inFolder(async (made) => {
        folder = made
        server = await startServer({ SERVICE_CONFIG_DIR: folder }, START)
        ready()
        await released
        await server.end('SIGTERM')
      })
      done.catch(failed)
    })
  })

  afterAll(async () => {
    stop()
    await done
  })

  test('PORT=0 prints the assigned port, on which the server listens', async () => {
    expect(server.output()).toContain(`Listening on ${server.url}\n`)
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
    const health = await fetch(`${server.url}/health`)
    expect(await health.json()).toEqual({ status: 'ok' })
  })

  test('MC-110 prints the MCP address of the default project, which responds', async () => {
    const address = /^MCP: (\S+)$/m.exec(server.output())?.[1] ?? ''
    const key = KEY.exec(server.output())?.[1] ?? ''
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  test('prints the password and one API key, and that SCIM is off', () => {
    expect(server.output()).toMatch(PASSWORD)
    expect(server.output()).toMatch(KEY)
    expect(server.output()).toContain(`Database: SQLite, ${join(folder, 'service.db')}`)
    expect(server.output()).toContain('SCIM: off')
    expect(server.output()).toContain('SCIM_ENABLED=true')
  })

  test('the printed command runs the bundled flow without a model', async () => {
    const response = await send(lineWith(server, '/api/v1/run/echo'))

    expect(response.status).toBe(200)
    const body = JSON.stringify(await response.json())
    expect(body).toContain('hello')
  })

  test('the printed password signs in', async () => {
    const password = PASSWORD.exec(server.output())?.[1] ?? ''
    const response = await fetch(`${server.url}/api/v1/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: 'admin', password }),
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ token_type: 'bearer' })
  })

  test('stores the secret key in a file that only its owner can read', async () => {
    const path = join(folder, 'secret_key')
    expect((await stat(path)).mode.toString(8).slice(-3)).toBe('600')
    expect(server.output()).not.toContain((await readFile(path, 'utf8')).trim())
  })

  test('serves the console page with a content security policy that allows its own scripts only', async () => {
    const page = await fetch(`${server.url}/`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
    const script = await fetch(`${server.url}/console.js`)
    expect(script.status).toBe(200)
    expect(await script.text()).toContain('a2ui-surface')
  })

  test('describes its API', async () => {
    const document = await fetch(`${server.url}/openapi.json`)
    expect(await document.json()).toMatchObject({ openapi: '3.1.0' })
    expect((await fetch(`${server.url}/docs`)).status).toBe(200)
  })

  test('refuses request headers of more than 16 KiB', async () => {
    const response = await fetch(`${server.url}/health`, {
      headers: { 'x-long': 'a'.repeat(16 * 1024) },
    })
    expect(response.status).toBe(431)
  })

  test('streams the demo surface as JSON Lines and accepts user actions', async () => {
    const leave = new AbortController()
    const stream = await fetch(`${server.url}/surfaces/demo/stream`, {
      headers: { accept: 'application/jsonl' },
      signal: leave.signal,
    })
    const lines = readLines(stream)
    await lines.until('beginRendering')

    const action = {
      name: 'count',
      surfaceId: 'demo',
      sourceComponentId: 'count-button',
      timestamp: '2026-01-01T00:00:00Z',
      context: {},
    }
    const posted = await fetch(`${server.url}/surfaces/demo/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userAction: action }),
    })

    expect(posted.ok).toBe(true)
    await lines.until('Pressed 1 time')
    leave.abort()
  })
})

/** The lines of a stream as they come. */
function readLines(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    async until(part: string): Promise<void> {
      while (!text.includes(part)) {
        const { done, value } = (await reader?.read()) ?? { done: true }
        if (done) throw new Error(`The stream has ended without ${part}: ${text}`)
        text += value
      }
    },
  }
}
