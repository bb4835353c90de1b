// Runs each night (.ci/night).
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { besideHealth, HEALTH, useService } from './attack.ts'
import { run, saveFlow } from './flows.ts'

const MB = 1024 * 1024
const service = useService({ SERVICE_SSRF_ALLOW: '127.0.0.1' })

/** How a model answers: its content type, a beginning, and what follows without end. */
type Answer = readonly [type: string, begin: string, repeated: string]
const JSON_TYPE = 'application/json'
const EVENTS = 'text/event-stream'
const chat = (delta: object): string => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`
const calls = Array.from({ length: 1001 }, (_, index) =>
  chat({ tool_calls: [{ index, id: `c${index}`, function: { name: 'x', arguments: '{' } }] }),
)

const answers: Readonly<Record<string, Answer>> = {
  blanks: [JSON_TYPE, '', ' '.repeat(MB)],
  lists: [JSON_TYPE, '{"choices":[', '[],'.repeat(100_000)],
  objects: [JSON_TYPE, '{"choices":[', '{},'.repeat(100_000)],
  members: [JSON_TYPE, '{', '"a":1,'.repeat(100_000)],
  depth: [JSON_TYPE, '', '['.repeat(MB)],
  'events of objects': [EVENTS, '', `data: {"choices":[${'{},'.repeat(1_500_000)}{}]}\n\n`],
  'an event without end': [EVENTS, 'data: ', 'x'.repeat(MB)],
  'an event of empty lines': [EVENTS, '', 'data:\n'.repeat(100_000)],
  'tokens without end': [EVENTS, '', chat({ content: 'x '.repeat(20_000) }).repeat(20)],
  'comments without end': [EVENTS, '', `: ${'x'.repeat(MB)}\n`],
  'tool calls without end': [EVENTS, '', calls.join('')],
}

let name = ''
let sent = 0
const model: Server = createServer((request, response) => {
  request.resume()
  const [type, begin, repeated] = answers[name] ?? ['', '', '']
  response.writeHead(200, { 'content-type': type }).write(begin)
  pour(response, repeated)
})
/** An answer of a few bytes less than what the limit allows is as heavy as it gets. */
const ENOUGH = 400 * MB
function pour(response: ServerResponse, piece: string): void {
  const isJson = answers[name]?.[0] === JSON_TYPE && name !== 'blanks'
  if (response.destroyed || sent > (isJson ? 60 * MB : ENOUGH)) return void response.end()
  sent += piece.length
  response.write(piece, () => setImmediate(() => pour(response, piece)))
}

let flow = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  const { port } = model.address() as AddressInfo
  flow = await saveFlow(service(), [
    ['ChatInput'],
    [
      'OpenAIModel',
      { api_key: 'k', openai_api_base: `http://127.0.0.1:${port}/v1` },
      'message>input_value',
    ],
    ['ChatOutput', {}, 'text_output>input_value'],
  ])
})
afterAll(() => {
  model.close()
  model.closeAllConnections()
})

test.each(Object.keys(answers))('AB-45 an oversized answer is refused: %s', async (given) => {
  name = given
  sent = 0
  const { result, slowest, grown } = await besideHealth(service(), () => run(service(), flow))
  expect([result.status, result.text]).toEqual([500, expect.stringMatching(/Limit .* exceeded/)])
  expect(sent).toBeLessThan(300 * MB)
  // Parsed, 60 MB of small objects are two gigabytes and a dozen seconds.
  expect(grown).toBeLessThan(900)
  expect(slowest).toBeLessThan(HEALTH)
})
