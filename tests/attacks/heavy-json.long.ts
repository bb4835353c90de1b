// Runs each night (.ci/night).
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formOf } from '../journeys/material.ts'
import { startService, type SharedService } from '../journeys/service.ts'
import { besideHealth, HEALTH, sendRaw } from './attack.ts'
import { zipOf } from './zip-bombs.ts'

const MB = 1024 * 1024
const TOKEN = 'a-token-of-a-directory-that-is-long'

let shared: SharedService
beforeAll(async () => {
  shared = await startService({ SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN, SCIM_BULK: 'true' })
})
afterAll(() => shared.end())

const text = (content: string): Uint8Array => new TextEncoder().encode(content)
const upload = async (kind: 'flows' | 'projects', name: string, content: Uint8Array) =>
  shared.service.call('POST', `/api/v1/${kind}/upload/`, { body: await formOf(name, content) })

/** Ten bytes for each hundred that are built of them. */
const objects = (count: number): string => Array(count).fill('{}').join(',')
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const project = (data: string): Uint8Array =>
  text(`{"folder_name":"p","flows":[{"name":"f","data":{"nodes":${data},"edges":[]}}]}`)
const packed = (content: string): Uint8Array =>
  zipOf([
    { name: 'a.json', content: text(content) },
    // What is stored besides makes room for what is unpacked.
    { name: 'pad.bin', content: crypto.getRandomValues(new Uint8Array(64 * 1024)) },
  ])

describe('AB-52 flow files have the same JSON limits as request bodies', () => {
  const NOT_JSON = 'The file is not valid JSON'
  const cases: readonly (readonly [
    string,
    () => Promise<{ status: number; text: string }>,
    RegExp,
  ])[] = [
    [
      'a deep project',
      () => upload('projects', 'p.json', project(deep(500_000))),
      /nested too deeply/,
    ],
    ['a deep flow', () => upload('flows', 'f.json', text(deep(500_000))), /nested too deeply/],
    [
      'a flow without end',
      () => upload('flows', 'f.json', text('['.repeat(MB))),
      /nested too deeply/,
    ],
    [
      'a zip of it',
      () => upload('flows', 'f.zip', packed('['.repeat(5 * MB))),
      /nested too deeply/,
    ],
    [
      'a million objects',
      () => upload('flows', 'f.json', project(`[${objects(1_100_000)}]`)),
      /1000000 values/,
    ],
    [
      'a zip of them',
      () => upload('flows', 'f.zip', packed(`[${objects(1_100_000)}]`)),
      /1000000 values/,
    ],
    ['a zip of 40 MB', () => upload('flows', 'f.zip', packed(' '.repeat(40 * MB))), /unpacked/],
  ]
  test.each(cases)('%s', async (_name, send, told) => {
    const { result, slowest, grown } = await besideHealth(shared.service, send)
    expect(slowest).toBeLessThan(HEALTH)
    expect([result.status, result.text]).toEqual([400, expect.stringMatching(told)])
    expect(grown).toBeLessThan(250)
  })

  test('a file above the size limit of JSON is refused with 413', async () => {
    for (const kind of ['flows', 'projects'] as const) {
      const answer = await sendRaw(shared.service.url, {
        path: `/api/v1/${kind}/upload/`,
        headers: {
          'x-api-key': shared.service.key,
          'content-type': 'multipart/form-data; boundary=b',
          'content-length': String(33 * MB),
        },
      })
      expect(answer.status).toBe(413)
    }
    expect((await upload('flows', 'f.json', text('nothing'))).json()).toEqual({ detail: NOT_JSON })
  })

  test('at most 100 problems of 90,000 invalid flows are reported', async () => {
    const body = `{"flows":[${objects(90_000)}]}`
    const headers = { 'content-type': 'application/json' }
    const answers = [
      await shared.service.call('POST', '/api/v1/flows/batch/', { body, headers }),
      await upload('flows', 'f.json', text(body)),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(422)
      expect((answer.json() as { detail: unknown[] }).detail).toHaveLength(100)
    }
  })

  test('a body with more than a million values is refused', async () => {
    const body = `{"name":"f","data":{"nodes":[${objects(1_100_000)}],"edges":[]}}`
    const headers = { 'content-type': 'application/json' }
    const answer = await shared.service.call('POST', '/api/v1/flows/', { body, headers })
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('1000000 values')])
  })
})

test('AB-52 SCIM refuses deeply nested JSON before parsing it', async () => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' }
  for (const path of ['Users', 'Bulk']) {
    // Without its end it is no JSON either: that would be told if it was parsed first.
    const body = '['.repeat(MB - 1)
    const answer = await shared.service.call('POST', `/api/v1/scim/v2/${path}`, {
      key: null,
      headers,
      body,
    })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('nested deeper than')
  }
})
