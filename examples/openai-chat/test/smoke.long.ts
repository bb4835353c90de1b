import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFlowService, type FlowService } from '@x/flow-service'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { flowBuilder } from '@x/flow-engine/testing'
import { toNodeListener } from '@x/http-adapters/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startExample, type Example } from '../../../tools/start-example.ts'

const KEY = 'the key of this test'
const ADA = '6a7c1f0e-52c4-4f0a-9b1e-0d9a4b1f7c01'

let engine: FlowService
let server: Server
let example: Example

beforeAll(async () => {
  engine = createFlowService({
    store: createMemoryFlowStore(),
    files: createMemoryBlobStore(),
    secretKey: 'at least 32 characters of a secret of the test',
    components: createRegistry(builtinComponents),
    authenticate: ({ headers }) =>
      headers.get('authorization') === `Bearer ${KEY}`
        ? { userId: ADA, isSuperuser: false, createAs: 'ada' }
        : null,
  })
  server = createServer(toNodeListener(engine.handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const flow = flowBuilder('parrot')
  const input = flow.add('ChatInput')
  flow.connect(`${input}.message`, `${flow.add('ChatOutput')}.input_value`)
  await fetch(`${url}/api/v1/flows/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'p', endpoint_name: 'parrot', data: flow.toJSON().data }),
  })
  example = await startExample(new URL('../', import.meta.url), {
    FLOW_URL: `${url}/api/openai/v1`,
    FLOW_API_KEY: KEY,
    FLOW_MODEL: 'parrot',
  })
})
afterAll(async () => {
  await example.stop()
  server.closeAllConnections()
  server.close()
  await engine.close()
})

async function chat(body: object): Promise<Record<string, string>[]> {
  const response = await fetch(`${example.url}/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const lines = (await response.text()).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, string>)
}

test('RS-53 the page answers through the official client and continues the conversation', async () => {
  expect(await (await fetch(example.url)).text()).toContain('Chat with a flow')
  const [said, { id } = {}] = await chat({ text: 'Hello parrot' })
  expect(said).toEqual({ delta: 'Hello parrot' })
  expect(id).toMatch(/^resp_/)
  expect(await chat({ text: 'Again', previous: id })).toMatchObject([{ delta: 'Again' }, {}])
})

test('the page reports an invalid message and an unknown conversation as errors', async () => {
  expect(await chat({})).toEqual([{ error: 'text is required' }])
  const [failed] = await chat({ text: 'x', previous: 'resp_none' })
  expect(failed?.['error']).toContain('resp_none')
})
