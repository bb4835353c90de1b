import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withService } from '../journeys/service.ts'
import { run, saveFlow, type Values } from './flows.ts'
import { keepsAnswering } from './keeps-answering.ts'

const SECRET = 'sk-of-the-user-0123456789'

/** A server that the operator allows, and that sends everybody on. */
let place: Server
let placeUrl = ''
/** The other origin, also allowed. */
let other: Server
const seen: string[] = []
/** A server inside the network, which is not allowed. */
let inner: Server
const reached: string[] = []
let target = ''
beforeAll(async () => {
  other = createServer((request, response) => {
    const { method, url, headers } = request
    const head = `${method} ${url} ${JSON.stringify(headers)}`
    void text(request).then((body) => seen.push(`${head} ${body}`))
    response.setHeader('content-type', 'application/json').end('{}')
  })
  inner = createServer((request, response) => {
    reached.push(String(request.url))
    response.end('internal secret')
  })
  place = createServer((request, response) => {
    request.resume()
    const status = Number(/\/(30\d)/.exec(request.url ?? '')?.[1] ?? 307)
    response.writeHead(status, { location: target }).end()
  })
  const at = async (server: Server, host: string): Promise<string> => {
    await new Promise<void>((resolve) => server.listen(0, host, resolve))
    return `http://${host}:${(server.address() as AddressInfo).port}`
  }
  placeUrl = await at(place, '127.0.0.3')
  otherUrl = await at(other, '127.0.0.3')
  innerUrl = await at(inner, '127.0.0.2')
})
let otherUrl = ''
let innerUrl = ''
afterAll(() => [place, other, inner].forEach((server) => server.close()))

test('AB-46: redirects take no key and no prompt to another origin, and AB-40: each of them is checked', async () => {
  await withService({ SERVICE_SSRF_ALLOW: '127.0.0.3' }, (service) =>
    keepsAnswering(service, async () => {
      const ask = async (type: string, values: Values, edge: string): Promise<string> => {
        const out = ['ChatOutput', {}, edge] as const
        return (await run(service, await saveFlow(service, [[type, values], out]))).text
      }
      const models = async (status: number): Promise<void> => {
        const base = `${placeUrl}/${status}`
        const own = { api_key: SECRET, input_value: 'the prompt' }
        await ask('OpenAIModel', { ...own, openai_api_base: base }, 'text_output>input_value')
        await ask('AnthropicModel', { ...own, base_url: base }, 'text_output>input_value')
      }
      const tools = async (status: number): Promise<void> => {
        const name = `moved${status}${Math.random()}`
        const body = { url: `${placeUrl}/${status}`, headers: { 'x-key': SECRET } }
        await service.call('POST', `/api/v2/mcp/servers/${name}`, { body })
        await service.call('GET', '/api/v2/mcp/servers?action_count=true')
      }
      const page = async (method: string, status: number): Promise<string> => {
        const headers = [{ key: 'X-Api-Key', value: SECRET }]
        const body = [{ key: 'secret', value: SECRET }]
        const url = `${placeUrl}/${status}`
        return await ask(
          'APIRequest',
          { url_input: url, method, headers, body, follow_redirects: true },
          'data>input_value',
        )
      }

      target = `${otherUrl}/end`
      for (const status of [302, 307]) {
        await models(status)
        await tools(status)
        await page('GET', status)
        await page('POST', status)
      }
      expect(seen.length).toBeGreaterThan(2)
      expect(seen.join('\n')).not.toContain(SECRET)
      expect(seen.join('\n')).not.toContain('the prompt')

      target = `${innerUrl}/end`
      for (const status of [302, 307]) {
        await models(status)
        await tools(status)
        expect(await page('GET', status)).not.toContain('internal secret')
      }
      expect(reached).toEqual([])
    }),
  )
})
