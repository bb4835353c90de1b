import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type SharedService } from '../journeys/service.ts'

let shared: SharedService

beforeAll(async () => {
  shared = await startService({})
})

afterAll(async () => {
  await shared.end()
})

test('the API reference loads all of its files from this server', async () => {
  const page = await shared.service.call('GET', '/docs', { key: null })
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
  const addresses = [...page.text.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(
    ([, path = '']) => path,
  )
  expect(addresses).toEqual([
    '/docs/swagger-ui.css',
    '/docs/swagger-ui-bundle.js',
    '/docs/start.js',
  ])
  for (const path of addresses) {
    const file = await shared.service.call('GET', path, { key: null })
    expect(file.status).toBe(200)
    expect(file.text.length).toBeGreaterThan(100)
  }
  const document = await shared.service.call('GET', '/openapi.json', { key: null })
  expect(document.json()).toMatchObject({ openapi: '3.1.0' })
})

test('files outside the reference are not found', async () => {
  const { status } = await shared.service.call('GET', '/docs/../../package.json', { key: null })
  expect(status).toBe(404)
  expect((await shared.service.call('GET', '/docs/package.json', { key: null })).status).toBe(404)
})
