import { needs } from '@x/test-kit/needs'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { codeSamples } from '../../examples/reference-server/console/code-samples.ts'
import { createFlow, echoGraph } from '../journeys/flows.ts'
import { startService, type Service } from '../journeys/service.ts'
import { blocksOf, blockWith, linesOf, printedBy } from './blocks.ts'

const PAGE = 'docs/guides/openai-clients.md'
const QUESTION = 'Where is my parcel?'

let service: Service
let end: () => Promise<void>
beforeAll(async () => {
  ;({ service, end } = await startService({}))
  for (const endpoint_name of ['support', 'report'])
    await createFlow(service, { name: endpoint_name, data: echoGraph(), endpoint_name })
  vi.stubEnv('FLOW_API_KEY', service.key)
  vi.stubEnv('OPENAI_API_KEY', service.key)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await end()
})

const placed = (code: string): string => code.replaceAll('https://flows.example', service.url)

test('RS-54 the first block of the guide calls a flow', async () => {
  const code = placed(await blockWith(PAGE, 'const answer ='))
  expect(await printedBy('openai-answer', code)).toEqual([QUESTION])
})

test('RS-54 the curl command of the guide calls a flow', needs('bash', 'curl'), async () => {
  const [command = ''] = await blocksOf(PAGE, 'sh')
  expect(command).toContain('chat/completions')
  const { stdout } = await promisify(execFile)('bash', ['-ec', placed(command)])
  expect(JSON.parse(stdout)).toMatchObject({ choices: [{ message: { content: QUESTION } }] })
})

test('RS-54 the stream of the guide yields the whole answer', async () => {
  const code = placed(await blockWith(PAGE, 'stream: true,\n})\nfor await'))
  const pieces = await printedBy(
    'openai-stream',
    code.replace('process.stdout.write(', 'console.log('),
  )
  expect(pieces.join('')).toBe(QUESTION)
})

test('RS-54 the guide continues a conversation', async () => {
  const code = placed(await blockWith(PAGE, 'previous_response_id: first.id'))
  expect(await printedBy('openai-conversation', code)).toEqual([QUESTION])
})

test('RS-54 the guide reads a background response to its end', async () => {
  const code = placed(await blockWith(PAGE, 'background: true'))
  const [[status] = [], ...events] = await linesOf('openai-background', code)
  expect(['queued', 'in_progress', 'completed']).toContain(status)
  expect(events[0]?.[0]).toBe(4)
  expect(events.at(-1)?.[1]).toBe('response.completed')
})

test("RS-55 the console's TypeScript sample calls its flow", async () => {
  const { base, model, typescript } = codeSamples(service.url, {
    id: 'not used',
    endpoint_name: 'support',
  })
  expect([base, model]).toEqual([`${service.url}/api/openai/v1`, 'support'])
  const code = typescript.replace('process.env.FLOW_API_KEY', "process.env['FLOW_API_KEY']")
  expect(await printedBy('openai-sample', code)).toEqual(['Hello'])
})

test('RS-55 the sample calls a flow without an endpoint name by id, and the page shows the samples', async () => {
  const { id } = await createFlow(service, { name: 'Nameless', data: echoGraph() })
  const { model, typescript } = codeSamples(service.url, { id, endpoint_name: null })
  expect(model).toBe(id)
  expect(await printedBy('openai-sample-by-id', typescript)).toEqual(['Hello'])
  const page = await service.call('GET', '/', { key: null })
  expect(page.text).toContain('id="samples"')
  const script = await service.call('GET', '/console.js', { key: null })
  for (const label of ['Base URL', 'Model', 'TypeScript', 'Python', '/api/openai/v1'])
    expect(script.text).toContain(label)
})
