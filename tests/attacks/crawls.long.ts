// Runs each night (.ci/night).
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { besideHealth, HEALTH, useService } from './attack.ts'
import { addUser, run, saveFlow } from './flows.ts'

vi.setConfig({ testTimeout: 300_000 })
const MIB = 1024 * 1024
let sent = 0

/** Each page of `/big` holds one MiB and leads to thirty more; `/many` has 3,000 small pages. */
const site: Server = createServer((request, response) => {
  sent += 1
  const path = request.url ?? ''
  response.setHeader('content-type', 'text/html')
  if (path === '/endless') return void response.end(Buffer.alloc(17 * MIB, 'x'))
  const links = (base: string, count: number): string =>
    Array.from({ length: count }, (_, at) => `<a href="${base}/${at}">${at}</a>`).join('')
  if (path === '/many') return void response.end(links('/many', 3_000))
  if (path.startsWith('/many/') || path === '/small') return void response.end(`page ${path}`)
  response.end(links(path, 30) + '<p>text</p>'.repeat(MIB / 11))
})
let address = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
})
afterAll(() => {
  site.closeAllConnections()
  site.close()
})

const running = useService({ SERVICE_SSRF_ALLOW: '127.0.0.1', SERVICE_MAX_CRAWL_MB: '20' })

const crawlOf = (path: string, depth: number) =>
  [['URLComponent', { urls: [`${address}${path}`], max_depth: depth }]] as const

test('AB-34: a crawl stops at its byte limit, returns what it has read, and delays no other request', async () => {
  const service = running()
  sent = 0
  const key = await addUser(service, 'ada')
  const attack = await saveFlow(service, crawlOf('/big', 5))
  const honest = await saveFlow(service, crawlOf('/small', 1), { key })
  const { result, slowest, grown } = await besideHealth(service, async () => {
    const crawling = run(service, attack)
    const other = await run(service, honest, key)
    return { other, crawled: await crawling }
  })
  expect(result.other.text).toContain('page /small')
  expect(result.crawled.status).toBe(200)
  expect(result.crawled.text).toContain('at most 20 MiB in all (SERVICE_MAX_CRAWL_MB)')
  expect(result.crawled.text).toContain('text')
  expect(sent).toBeLessThanOrEqual(30)
  expect(grown).toBeLessThan(400)
  expect(slowest).toBeLessThan(HEALTH)
})

test('AB-34: a crawl reads at most 1,000 pages', async () => {
  const service = running()
  sent = 0
  const answer = await run(service, await saveFlow(service, crawlOf('/many', 2)))
  expect(sent).toBe(1_000)
  expect(answer.text).toContain('at most 1,000 pages')
})

test('AB-34: the API request component refuses a response longer than 16 MiB', async () => {
  const service = running()
  const request = [['APIRequest', { url_input: `${address}/endless`, mode: 'URL' }]] as const
  const answer = await run(service, await saveFlow(service, request))
  expect(answer.text).toContain('longer than 16 MiB')
})
