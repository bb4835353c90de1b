import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Serves calls of a flow, then of one that asks a person, and tells at each step what has been loaded. */
const PROGRAM = `
import { register } from 'node:module'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
const { port1, port2 } = new MessageChannel()
register('data:text/javascript,' + encodeURIComponent(\`
  let port
  export function initialize(given) { port = given }
  export async function load(url, context, next) {
    port.postMessage(url)
    return await next(url, context)
  }\`), { data: port2, transferList: [port2] })
const { createMcpHandler } = await import('@x/flow-engine/mcp')
const { createRegistry } = await import('@x/flow-engine/graph')
const { builtinComponents } = await import('@x/flow-engine/components')
const { createMemoryJobStore } = await import('@x/flow-engine/memory')
const { flowBuilder } = await import('@x/flow-engine/testing')
const loaded = []
const news = () => {
  const found = []
  for (let got; (got = receiveMessageOnPort(port1)); ) found.push(got.message)
  return found
}
news()

const echo = flowBuilder('Echo')
echo.connect(echo.add('ChatInput') + '.message', echo.add('ChatOutput') + '.input_value')
const asks = flowBuilder('Asks')
const person = asks.add('HumanInput')
asks.connect(asks.add('ChatInput') + '.message', person + '.prompt')
asks.connect(person + '.branch_approve', asks.add('ChatOutput') + '.input_value')
const handler = createMcpHandler({
  name: 'tools',
  tools: [{ flow: echo.toJSON(), name: 'echo' }, { flow: asks.toJSON(), name: 'asks' }],
  components: createRegistry(builtinComponents),
  jobs: createMemoryJobStore(),
  auth: { kind: 'none' },
})
const call = async (name) => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  }
  const params = { name, arguments: { input_value: 'hi' }, _meta }
  const response = await handler(new Request('http://host/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }))
  const { result, error } = await response.json()
  return [result?.resultType ?? error.message, news().filter((url) => url.includes('/jobs/create-build-jobs.ts')).length > 0]
}
console.log(JSON.stringify([await call('echo'), await call('asks'), await call('asks')]))
process.exit(0)
`

/** Tells which modules the subpath loads. */
const WATCHED = `
import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`
  import { writeSync } from 'node:fs'
  export async function load(url, context, next) {
    writeSync(1, url + '\\\\n')
    return await next(url, context)
  }\`))
await import('@x/flow-engine/mcp')
`

async function run(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--conditions=@x/source', '--input-type=module', '--eval', program],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)), maxBuffer: 16 * 1024 * 1024 },
  )
  return stdout
}

test('MC-90 MC-105 the subpath loads no routes, no stores, no jobs and no protocol library', async () => {
  const loaded = (await run(WATCHED)).trim().split('\n')
  expect(loaded.some((url) => url.includes('/src/mcp/streamable-http.ts'))).toBe(true)
  const foreign =
    /\/src\/(?:http|store|memory)\/|jobs\/create-build-jobs|@modelcontextprotocol|\/(?:ajv|zod)\//
  expect(loaded.filter((url) => foreign.test(url))).toEqual([])
})

test('MC-105 jobs are loaded when the first run asks a person', { tags: ['long'] }, async () => {
  const lines = (await run(PROGRAM)).trim().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual([
    ['complete', false],
    ['input_required', true],
    ['input_required', false],
  ])
})
