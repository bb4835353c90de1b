import { startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../packages/store-kysely/test/postgres-server.ts'
import { messageOf, runFlow } from './flow-calls.ts'
import { knowledgeFlows, makeBase, storeFlows, TEXT } from './knowledge-flows.ts'
import { startService, type SharedService } from './service.ts'

const vendor = await startFakeOpenAi()
let shared: SharedService
let stop = (): Promise<void> => Promise.resolve()

beforeAll(async () => {
  const server = await startServer()
  stop = () => server.stop()
  shared = await startService({
    SERVICE_DATABASE_URL: server.url,
    OPENAI_BASE_URL: vendor.url,
    OPENAI_API_KEY: 'sk-of-the-server',
  })
})
afterAll(async () => {
  await shared.end()
  await stop()
  await vendor.close()
})

describe('data that a flow stores in PostgreSQL', () => {
  test.each(['Chroma', 'FAISS'] as const)(
    'CO-73 %s: another flow answers from ingested data after a crash',
    async (type) => {
      const { service } = shared
      const { ingest, answer } = await storeFlows(service, type, { number_of_results: 1 })
      expect((await runFlow(service, ingest, TEXT)).status).toBe(200)
      await service.restart({ signal: 'SIGKILL' })
      const found = await runFlow(service, answer, 'blue whales swim far')
      expect(messageOf(found)).toBe('blue whales swim far')
    },
  )

  test('CO-74 CO-75 concurrent runs fill a knowledge base, which is searched after a crash', async () => {
    const { service } = shared
    expect(await makeBase(service, 'kept')).toBe('kept')
    const { ingest, retrieve } = await knowledgeFlows(service, 'kept')
    const runs = [1, 2, 3, 4].map(() => runFlow(service, ingest, TEXT))
    for (const { status } of await Promise.all(runs)) expect(status).toBe(200)
    await service.restart({ signal: 'SIGKILL' })
    const base = await service.call('GET', '/api/v1/knowledge_bases/kept')
    expect(base.json()).toMatchObject({ chunks: 3, words: 12 })
    expect(messageOf(await runFlow(service, retrieve, 'green tea is brewed'))).toBe(
      'green tea is brewed',
    )
    await service.call('DELETE', '/api/v1/knowledge_bases/kept')
    expect((await runFlow(service, retrieve, 'green')).text).toContain('Metadata not found')
  })
})
