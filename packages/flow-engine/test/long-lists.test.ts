import { expect, test } from 'vitest'
import { builtinComponents } from '../src/components.ts'
import { parseCurl } from '../src/components/built-in/data-source/parse-curl.ts'
import { createMemoryVectorStore } from '../src/components/built-in/vectors/open-store.ts'
import { parseHtmlPage } from '../src/components/web/html-page.ts'
import { descendantsOf, parseXml } from '../src/components/web/xml-tree.ts'
import { checkFlow, createRegistry } from '../src/graph.ts'
import { adminToken, send } from './support/client.ts'
import { createTestEngine } from './support/engine.ts'

const MANY = 150_000

test('source code with a very long list is validated', async () => {
  const engine = await createTestEngine()
  const token = await adminToken(engine)
  const code = `export const list = [${'1,1,1,1,1,\n'.repeat(5_900)}]`
  const answer = await send(engine, '/api/v1/validate/code', { token, json: { code } })
  expect(answer.body).toEqual({ imports: { errors: [] }, function: { errors: [] } })
  await engine.close()
})

test('HTML pages and XML documents with very many siblings are parsed', async () => {
  const siblings = '<b>a</b>'.repeat(MANY)
  const page = await parseHtmlPage(`<p>${siblings}</p>`)
  expect(page.texts()).toHaveLength(MANY)
  expect(descendantsOf(await parseXml(`<p>${siblings}</p>`), 'b')).toHaveLength(MANY)
})

test('a flow with very many edges into removed fields is checked', () => {
  const edges = Array.from({ length: MANY }, (_, n) => ({
    source: 'a',
    target: 'b',
    data: {
      sourceHandle: { id: 'a', dataType: 'ChatInput', name: 'message', output_types: ['Message'] },
      targetHandle: { id: 'b', fieldName: `f${n}`, type: 'str', inputTypes: ['Message'] },
    },
  }))
  const fields = edges.map((_, n) => [`f${n}`, { type: 'str', input_types: ['Message'] }] as const)
  const template = Object.fromEntries(fields)
  const nodes = [
    { id: 'a', data: { id: 'a', type: 'ChatInput', node: { template: {} } } },
    { id: 'b', data: { id: 'b', type: 'ChatOutput', node: { template } } },
  ]
  const problems = checkFlow({ nodes, edges }, { components: createRegistry(builtinComponents) })
  expect(problems.filter(({ code }) => code === 'ignored_edge')).toHaveLength(MANY)
})

test('a vector store in memory takes very many rows at once', async () => {
  const store = createMemoryVectorStore()
  const row = { id: '', text: '', metadata: {}, vector: [1] }
  await store.add(Array.from({ length: MANY }, () => row))
  expect(await store.all()).toHaveLength(MANY)
})

test('a curl command with very long credentials is read', () => {
  const user = `ada:${'é'.repeat(MANY)}`
  const { headers } = parseCurl(`curl -u '${user}' https://host.example/`)
  expect(headers).toEqual([['Authorization', `Basic ${Buffer.from(user).toString('base64')}`]])
})
