// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { SPELLINGS } from '../../packages/http-adapters/test/guarded-mounts.ts'
import { exchange, send } from '../../packages/http-adapters/test/loopback.ts'
import { besideHealth, HEALTH, HEALTH_NOTED, sendRaw, useService } from './attack.ts'
import { useBuiltHost } from './built-host.ts'
import { sendInBytes } from './send-in-bytes.ts'
import { keepsAnswering } from './keeps-answering.ts'

const service = useService({})
const host = useBuiltHost('../../packages/http-adapters/test/mount-host.ts', ['http-adapters'])

type Ports = Readonly<Record<string, number>>
const portsOf = (kind: 'pass' | 'normalize' | 'headers'): Promise<[string, number][]> =>
  host()
    .call<Record<typeof kind, Ports>>('ports')
    .then((ports) => Object.entries(ports[kind]))

test("AB-20: no spelling of a path bypasses the host's guard, in the built package", async () => {
  const { result } = await besideHealth(host(), async () => {
    const reached: string[] = []
    for (const [name, port] of await portsOf('pass')) {
      for (const path of SPELLINGS) {
        const { status, text } = await send(port, { path })
        if (![403, 404].includes(status) || text.startsWith('ours')) reached.push(`${name} ${path}`)
      }
      expect((await send(port, { path: '/api/v1/..users' })).text).toBe('ours /api/v1/..users')
    }
    return reached
  })
  expect(result).toEqual([])
})

test('AB-20: the shipped server refuses paths that URL normalization would change', async () => {
  const { url, key } = service()
  const ask = (path: string) =>
    sendRaw(url, { method: 'GET', path, headers: { 'x-api-key': key, connection: 'close' } })
  expect((await ask('/api/v1/users/whoami')).status).toBe(200)
  for (const path of [
    '/api/v1/x/../users/whoami',
    '/api/v1/./users/whoami',
    '/api/v1/x/%2e%2E/users/whoami',
    '/api\\v1\\users\\whoami',
    'http://evil.example/api/v1/users/whoami',
    '/surfaces/../api/v1/users/whoami',
    // CVE-2026-29087, CVE-2026-39406 (Hono): another spelling of a path that a guard compares.
    '//api/v1/users/whoami',
    '/api//v1/users/whoami',
    '/api/v1%2fusers/whoami',
    '/api/v1/%75sers/whoami',
  ]) {
    const { status, text } = await ask(path)
    expect([path, [400, 403, 404].includes(status), text.includes('"username"')]).toEqual([
      path,
      true,
      false,
    ])
  }
})

const LENGTH = 'content-length: 20\r\n'
const JSON_TYPE = 'content-type: application/json\r\n'
const BODY = '{"input_value":"hi"}'
const HIDDEN = 'GET /api/v1/version HTTP/1.1\r\nhost: localhost\r\n\r\n'

test.each([
  ['a length and chunks', `${LENGTH}transfer-encoding: chunked\r\n`, `0\r\n\r\n${HIDDEN}`],
  ['chunks in chunks', 'transfer-encoding: chunked, identity\r\n', `0\r\n\r\n${HIDDEN}`],
  ['an unknown encoding', 'transfer-encoding: xchunked\r\n', `0\r\n\r\n${HIDDEN}`],
  ['two lengths', `${LENGTH}content-length: 21\r\n`, BODY + HIDDEN],
  ['a length with a sign', 'content-length: +20\r\n', BODY + HIDDEN],
  ['a list of lengths', 'content-length: 20, 20\r\n', BODY + HIDDEN],
  ['a folded header', `${LENGTH}x-note:\r\n folded\r\n`, BODY],
  ['a space before the colon', `${LENGTH}x-note : a\r\n`, BODY],
  ['a bare line feed', `${LENGTH}x-note: a\n`, BODY],
  ['a bare carriage return', `${LENGTH}x-note: a\rx-other: b\r\n`, BODY],
  ['a NUL in a header', `${LENGTH}x-note: a\0b\r\n`, BODY],
  ['two hosts', `${LENGTH}host: other.example\r\n`, BODY],
])(
  'AB-24: a request that a proxy could read differently is refused, and nothing behind it is answered: %s',
  (_what, headers, body) =>
    keepsAnswering(service(), async () => {
      const { url, key } = service()
      const { host: name, port } = new URL(url)
      const request = `POST /api/v1/run/nothing HTTP/1.1\r\nhost: ${name}\r\nx-api-key: ${key}\r\n`
      const answers = await exchange(
        Number(port),
        `${request}${JSON_TYPE}${headers}connection: close\r\n\r\n${body}`,
      )
      expect(answers.split('HTTP/1.1 ').length - 1).toBe(1)
      expect(answers).toMatch(/^HTTP\/1\.1 400 /)
    }),
)

test('AB-24: credentials in trailers open nothing', () =>
  keepsAnswering(service(), async () => {
    const { url, key } = service()
    const { host: name, port } = new URL(url)
    const answers = await exchange(
      Number(port),
      `GET /api/v1/users/whoami HTTP/1.1\r\nhost: ${name}\r\ntransfer-encoding: chunked\r\n` +
        `trailer: x-api-key\r\nconnection: close\r\n\r\n0\r\nx-api-key: ${key}\r\n\r\n`,
    )
    expect(answers).toMatch(/^HTTP\/1\.1 403 /)
  }))

test('AB-21: normalized paths never leave the mount, in the built package', () =>
  keepsAnswering(host(), async () => {
    const ports = (await portsOf('normalize')).filter(([name]) => name !== 'node')
    expect(ports).toHaveLength(3)
    for (const [name, port] of ports) {
      for (const path of [
        '/api/../private',
        '/api/x/../../private',
        '/api/%2e%2e/private',
        '/api\\..\\private',
      ])
        expect(`${name} ${path}: ${(await send(port, { path })).text}`).not.toContain('ours')
      expect((await send(port, { path: '/api/x/../y' })).text).toBe('ours /api/y')
    }
  }))

test('AB-22: the built package sends cookies and Vary of both host and handler', async () => {
  const ports = await portsOf('headers')
  expect(ports).toHaveLength(5)
  const { slowest, grown } = await besideHealth(host(), async () => {
    for (const [name, port] of ports) {
      const asked = Array.from({ length: 200 }, () => send(port, { path: '/x' }))
      for (const { headers, text } of await Promise.all(asked)) {
        expect([name, text]).toEqual([name, 'ours'])
        expect(new Set(headers['set-cookie'])).toEqual(new Set(['a=1', 'b=2', 'c=3']))
        const vary = String(headers['vary']).toLowerCase().split(/,\s*/)
        expect(vary.toSorted()).toEqual(['accept', 'origin'])
        expect(headers).toMatchObject({ 'x-both': 'handler', 'x-host': '1', 'x-handler': '1' })
      }
    }
  })
  expect(slowest).toBeLessThan(HEALTH_NOTED)
  expect(grown).toBeLessThan(100)
})

test('AB-23: 20,000 pipelined requests of four connections do not block the server', async () => {
  const { hostname, port } = new URL(service().url)
  const request = `GET /api/v1/version HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`
  const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
  const { result, slowest } = await besideHealth(service(), () =>
    Promise.all(
      Array.from({ length: 4 }, () => exchange(Number(port), request.repeat(4999) + last)),
    ),
  )
  for (const answers of result) expect(answers.split('HTTP/1.1 200 OK').length - 1).toBe(5000)
  expect(slowest).toBeLessThan(HEALTH)
})

test('AB-13: a body of 0.9 MB in chunks of one byte does not block the server', async () => {
  const { url, key } = service()
  const data = { nodes: [], edges: [], note: 'x'.repeat(900_000) }
  const bytes = JSON.stringify({ name: 'small chunks', data })
  const { result, slowest, grown } = await besideHealth(service(), () =>
    sendInBytes(url, bytes, {
      path: '/api/v1/flows/',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    }),
  )
  expect(result.status).toBe(201)
  expect(slowest).toBeLessThan(HEALTH)
  expect(grown).toBeLessThan(60)
})
