import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { builtinComponents } from '@x/flow-components'
import { flowBuilder } from '@x/flow-engine/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFlow, echoGraph } from './flows.ts'
import { formOf, withStoredKeys } from './material.ts'
import { startService, type Service } from './service.ts'

/**
 * The main file of `@modelcontextprotocol/conformance` 0.1.16 (`dist/index.js`), and a Node 22 that it
 * runs on.
 */
const { MCP_CONFORMANCE: SUITE = '', MCP_CONFORMANCE_NODE: NODE = process.execPath } = process.env
if (SUITE === '') console.log('skipped: MCP_CONFORMANCE names no conformance suite')

/** The scenarios that a server of flows can meet. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
  'server-sse-multiple-streams',
]

let service: Service
let model: Server
let address: string
let end: () => Promise<void>

/** A model that takes its time, and fails where it is called `broken`. */
async function startModel(): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      const isBroken = (await text(request)).includes('broken')
      await setTimeout(100)
      response.writeHead(isBroken ? 400 : 200, { 'content-type': 'application/json' })
      const message = { role: 'assistant', content: 'Done.' }
      const good = {
        id: 'x',
        object: 'chat.completion',
        model: 'slow',
        choices: [{ index: 0, message }],
      }
      response.end(JSON.stringify(isBroken ? { error: { message: 'Broken.' } } : good))
    })().catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function modelGraph(model_name: string): unknown {
  const flow = flowBuilder(model_name, { components: builtinComponents })
  const input = flow.add('ChatInput', { values: { input_value: 'Hello' } })
  const answer = flow.add('OpenAIModel', { values: { model_name, api_key: 'OPENAI_API_KEY' } })
  const output = flow.add('ChatOutput')
  flow.connect(`${input}.message`, `${answer}.input_value`)
  flow.connect(`${answer}.text_output`, `${output}.input_value`)
  return withStoredKeys(flow.toJSON()).data
}

/** A text that needs no argument. */
function textGraph(): unknown {
  const flow = flowBuilder('text')
  const prompt = flow.add('Prompt Template', {
    values: { template: 'This is a simple text response for testing.' },
  })
  const output = flow.add('ChatOutput')
  flow.connect(`${prompt}.prompt`, `${output}.input_value`)
  return flow.toJSON().data
}

beforeAll(async () => {
  if (SUITE === '') return
  model = await startModel()
  const { port } = model.address() as AddressInfo
  ;({ service, end } = await startService({
    OPENAI_API_KEY: 'sk-journey',
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
  }))
  const made = await service.call('POST', '/api/v1/projects/', { body: { name: 'Conformance' } })
  const { id: project } = made.json() as { id: string }
  const offer = (name: string, data: unknown) =>
    createFlow(service, { name, data, folder_id: project, mcp_enabled: true })
  await offer('test_simple_text', textGraph())
  await offer('test_error_handling', modelGraph('broken'))
  await offer('test_tool_with_progress', modelGraph('slow'))
  const { id } = await offer('files', echoGraph())
  await service.call('POST', `/api/v1/files/upload/${id}`, { body: await formOf('note.txt') })
  const key = encodeURIComponent(service.key)
  address = `${service.url}/api/v1/mcp/project/${project}/streamable?x-api-key=${key}`
})
afterAll(async () => {
  if (SUITE === '') return
  await end()
  model.closeAllConnections()
  model.close()
})

test.skipIf(SUITE === '').each(SCENARIOS)('MC-112 conformance: %s', async (scenario) => {
  const args = [SUITE, 'server', '--url', address, '--scenario', scenario, '--verbose']
  const { stdout } = await promisify(execFile)(NODE, args, { timeout: 60_000 }).catch(
    (error: { stdout: string }) => error,
  )
  const checks = JSON.parse(stdout.slice(stdout.indexOf('['), stdout.lastIndexOf(']') + 1)) as {
    id: string
    status: string
    errorMessage?: string
  }[]
  expect(checks.length).toBeGreaterThan(0)
  expect(checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')).toEqual([])
})
