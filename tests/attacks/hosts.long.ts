// Runs each night (.ci/night).
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { sendRaw, useService, type RawRequest } from './attack.ts'
import { keepsAnswering } from './keeps-answering.ts'

const running = useService({
  SERVICE_AUTO_LOGIN: 'true',
  SERVICE_SKIP_AUTH_AUTO_LOGIN: 'true',
  SERVICE_ALLOWED_HOSTS: 'flows.internal:7860',
  SERVICE_CORS_ORIGINS: 'https://app.example.test',
})

function ask(headers: Record<string, string>, path = '/api/v1/users/whoami', rest = {}) {
  const request: RawRequest = { method: 'GET', path, headers, ...rest }
  return sendRaw(running().url, request)
}

test('AB-66: with auto login, requests for other host names are refused', () =>
  keepsAnswering(running(), async () => {
    for (const path of [
      '/',
      '/health',
      '/api/v1/auto_login',
      '/api/v1/scim/v2/Users',
      '/nothing',
    ]) {
      for (const host of [
        'evil.example',
        '127.0.0.1.evil.example',
        'localhost.evil.example:7860',
      ]) {
        const answer = await ask({ host }, path)
        expect([path, host, answer.status]).toEqual([path, host, 403])
        expect(answer.text).toContain('{"detail":"Host not allowed"}')
      }
    }
    const { host } = new URL(running().url)
    for (const good of [host, 'localhost', '127.0.0.9:80', '[::1]:7860', 'FLOWS.internal'])
      expect([good, (await ask({ host: good }, '/health')).status]).toEqual([good, 200])
  }))

test('AB-66: requests without a host name are refused', async () => {
  const { hostname, port, host } = new URL(running().url)
  const heads = [
    'GET /api/v1/auto_login HTTP/1.0\r\n\r\n',
    'GET / HTTP/1.0\r\nhost:\r\n\r\n',
    'GET /api/v1/auto_login HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n',
    'GET /api/v1/auto_login HTTP/1.1\r\nhost:   \r\nconnection: close\r\n\r\n',
  ]
  for (const head of heads) {
    const answer = await exchange(Number(port), hostname, head)
    expect([head, answer]).toEqual([head, expect.stringMatching(/^HTTP\/1\.1 403 /)])
  }
  const named = `GET /health HTTP/1.0\r\nhost: ${host}\r\n\r\n`
  expect(await exchange(Number(port), hostname, named)).toMatch(/^HTTP\/1\.1 200 /)
})

/** Everything a server says to a head, until it hangs up. */
async function exchange(port: number, hostname: string, head: string): Promise<string> {
  const socket = connect(port, hostname)
  socket.write(head)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

test('AB-67: with auto login, cross-site requests are refused', () =>
  keepsAnswering(running(), async () => {
    const { origin } = new URL(running().url)
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) {
      const answer = await ask(headers)
      expect([headers, answer.status]).toEqual([headers, 403])
      expect(answer.text).toContain('{"detail":"Origin not allowed"}')
      const types = ['text/plain', 'multipart/form-data; boundary=x', 'application/json']
      for (const type of types) {
        const post = { ...headers, 'content-type': type, 'content-length': '0' }
        const sent = await ask(post, '/api/v1/flows/', { method: 'POST' })
        expect([type, sent.status]).toEqual([type, 403])
      }
    }
    const own: Record<string, string>[] = [
      {},
      { origin },
      { origin: 'https://app.example.test', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ]
    for (const headers of own)
      expect([headers, (await ask(headers)).status]).toEqual([headers, 200])
  }))

test('AB-67: pages of other sites cannot sign a user in or out', () =>
  keepsAnswering(running(), async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' }
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const path of ['/api/v1/login', '/api/v1/refresh', '/api/v1/logout']) {
      for (const headers of foreign) {
        const answer = await ask({ ...form, ...headers }, path, { method: 'POST' })
        expect([path, headers, answer.status]).toEqual([path, headers, 403])
        expect(answer.text).not.toMatch(/set-cookie/i)
      }
      const { origin } = new URL(running().url)
      for (const headers of [{}, { origin }, { origin: 'null', 'sec-fetch-site': 'same-origin' }]) {
        const answer = await ask({ ...form, ...headers }, path, { method: 'POST' })
        expect([path, headers, answer.status]).not.toContain(403)
      }
    }
  }))

test('AB-56: private answers are not kept by proxies', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const image = new FormData()
    image.append('file', new Blob(['not a picture'], { type: 'image/png' }), 'private.png')
    const flow = await service.call('POST', '/api/v1/flows/', {
      body: { name: `kept ${Math.random()}`, data: { nodes: [], edges: [] } },
    })
    const { id } = flow.json() as { id: string }
    const upload = await service.call('POST', `/api/v1/files/upload/${id}`, { body: image })
    const { file_path: path } = upload.json() as { file_path: string }
    for (const [method, place] of [
      ['GET', `/api/v1/files/images/${path}`],
      ['GET', `/api/v1/files/download/${path}`],
      ['GET', '/api/v1/users/whoami'],
      ['GET', '/api/v1/flows/'],
      ['GET', '/api/v1/nothing.css'],
      ['GET', '/api/v1/auto_login'],
      ['POST', '/api/v1/api_key/'],
    ] as const) {
      const body = method === 'POST' ? { body: { name: 'kept' } } : {}
      const { headers } = await service.call(method, place, body)
      expect([place, headers.get('cache-control')]).toEqual([place, 'no-store'])
    }
  }))
