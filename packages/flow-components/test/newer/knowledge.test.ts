import { describe, expect, test } from 'vitest'
import { knowledge, knowledgeBase, memoryBase } from '@x/flow-components'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import type { ComponentServices, MessageRecord } from '@x/flow-engine'
import type { Data } from '@x/flow-engine'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import { createMessage } from '@x/flow-engine'
import { createMemoryBases, createMemoryServices } from '@x/flow-engine/memory'
import { testComponent } from '@x/flow-engine/testing'

const VECTORS = new Map([
  ['apple', [1, 0]],
  ['pear', [0.8, 0.6]],
  ['car', [0, 1]],
])
const embedded: string[] = []
const models = {
  chatModel: () => Promise.reject(new Error('no chat')),
  embedder: () => ({
    embed: async (texts: readonly string[]) => {
      embedded.push(...texts)
      return texts.map((text) => VECTORS.get(text) ?? [0.9, 0.1])
    },
  }),
}
const services = (): ComponentServices => ({
  ...createMemoryServices({ knowledge: { kb: { model: 'm', apiKey: 'sk' } } }),
  models,
})

describe('Knowledge (NX-30)', () => {
  const run = async (inputs: object, given: ComponentServices, output?: string[]) =>
    (
      await testComponent(knowledge, {
        inputs: { knowledge_base: 'kb', ...inputs },
        services: given,
        ...(output === undefined ? {} : { output }),
      })
    ).outputs

  test('NX-30: the mode decides, and both outputs of a build share the work', async () => {
    const given = services()
    embedded.length = 0
    const filled = await run({ input_df: createMessage('apple') }, given)
    expect(embedded).toEqual(['apple'])
    expect((filled.dataframe_output as Data).data).toMatchObject({
      kb_name: 'kb',
      rows: 1,
      chunks_created: 1,
      skipped: 0,
    })
    expect((filled.retrieve_data as DataFrame).rows).toHaveLength(1)
    const again = await run({ input_df: createMessage('apple') }, given, ['dataframe_output'])
    expect((again.dataframe_output as Data).data).toMatchObject({ chunks_created: 0, skipped: 1 })
    embedded.length = 0
    const found = await run({ mode: 'Retrieve', search_query: 'pear' }, given)
    expect(embedded).toEqual(['pear'])
    expect((found.retrieve_data as DataFrame).rows).toMatchObject([{ content: 'apple' }])
    expect((found.dataframe_output as Data).data).toMatchObject({ results: [{ content: 'apple' }] })
  })

  test('NX-30: metadata are stored with each row and filter before top_k', async () => {
    const given = services()
    const add = (text: string, metadata_json: string) =>
      run({ input_df: createDataFrame([{ text }]), metadata_json }, given, ['dataframe_output'])
    await add('apple', '{"lang": ["en", "de"], "year": 2024}')
    await add('car', '{"lang": "fr"}')
    await add('pear', 'no JSON')
    const find = async (metadata_filter: string): Promise<unknown[]> => {
      const inputs = { search_query: 'apple', top_k: 1, metadata_filter }
      const { value } = await testComponent(knowledgeBase, {
        inputs: { knowledge_base: 'kb', ...inputs },
        services: given,
      })
      return (value as DataFrame).rows.map(({ content }) => content)
    }
    expect(await find('{"lang": "fr"}')).toEqual(['car'])
    expect(await find('{"lang": ["xx", "de"], "year": 2024}')).toEqual(['apple'])
    expect(await find('{"lang": "xx"}')).toEqual([])
    expect(await find('not JSON')).toEqual(['apple'])
  })

  test('NX-30, CO-75: an unknown base is refused, and the tool has its arguments', async () => {
    await expect(run({ mode: 'Retrieve', knowledge_base: 'gone' }, services())).rejects.toThrow(
      'Metadata not found for knowledge base: gone. Ensure it has been indexed.',
    )
    const toolMode = Object.entries(knowledge.inputs).filter(([, { options }]) => options.toolMode)
    expect(toolMode.map(([name]) => name)).toEqual(['mode', 'search_query'])
  })

  test('NX-11, NX-30: the dialog accepts a choice of the picker and needs no key', async () => {
    const given = services()
    const value = {
      '01_new_kb_name': 'notes',
      '02_embedding_model': [{ name: 'text-embedding-3-large', provider: 'OpenAI' }],
      '03_knowledge_backend': {},
    }
    const change = { field: 'knowledge_base', value }
    const node = await refreshNode(knowledge, createNode(knowledge), change, { services: given })
    expect(node.data.node.template.knowledge_base).toMatchObject({ value: 'notes' })
    expect((await given.knowledge?.get('notes', {}))?.embedding).toEqual({
      provider: 'OpenAI',
      model: 'text-embedding-3-large',
    })
  })
})

describe('MemoryBase (NX-32)', () => {
  const message = (id: string, text: string, more: Partial<MessageRecord> = {}): MessageRecord => ({
    id,
    flowId: 'flow-1',
    timestamp: new Date('2026-01-02T03:04:05Z'),
    sender: 'User',
    senderName: 'Ann',
    sessionId: 's1',
    contextId: null,
    text,
    files: [],
    error: false,
    edit: false,
    category: 'message',
    properties: {},
    contentBlocks: [],
    duration: null,
    ...more,
  })

  async function stored(...messages: MessageRecord[]): Promise<ComponentServices> {
    const given = { ...services(), memories: createMemoryBases() }
    for (const each of messages) await given.messages?.add(each)
    return given
  }
  const find = async (inputs: object, given: ComponentServices, sessionId = 's1') => {
    embedded.length = 0
    const { value } = await testComponent(memoryBase, {
      inputs: { memory_base: 'memory', search_query: 'apple', ...inputs },
      services: given,
      flowId: 'flow-1',
      userId: 'u',
      sessionId,
    })
    return (value as DataFrame).rows
  }

  test('NX-32: ingests new messages once, of this session, nearest first', async () => {
    const given = await stored(
      message('1', 'car'),
      message('2', 'apple'),
      message('3', 'pear', { sessionId: 's2' }),
      message('4', 'broken', { error: true }),
      message('5', ' '),
    )
    const rows = await find({}, given)
    expect(rows.map(({ content }) => content)).toEqual(['apple', 'car'])
    expect(embedded).toEqual(['car', 'apple', 'pear', 'apple'])
    expect(rows[0]).toMatchObject({
      message_id: '2',
      session_id: 's1',
      flow_id: 'flow-1',
      sender: 'User',
      sender_name: 'Ann',
      chunk_index: 0,
      total_chunks: 1,
      source: 'memory_base/s1',
    })
    await find({}, given)
    expect(embedded).toEqual(['apple'])
    const all = await find({ filter_by_session: false, include_metadata: false }, given, '')
    expect(all.map((row) => Object.keys(row))).toEqual([
      ['content', '_score'],
      ['content', '_score'],
      ['content', '_score'],
    ])
  })

  test('NX-32: long texts are split into overlapping chunks; deleted messages disappear', async () => {
    const text = 'x'.repeat(950) + 'y'.repeat(1000)
    const given = await stored(message('1', text), message('2', 'apple'))
    const rows = await find({ top_k: 9 }, given)
    expect(rows.filter(({ message_id }) => message_id === '1')).toHaveLength(3)
    await given.messages?.remove('1')
    expect((await find({ top_k: 9 }, given)).map(({ message_id }) => message_id)).toEqual(['2'])
  })

  test('NX-32: a blank query sends no request; missing settings are named in the error', async () => {
    const given = await stored(message('1', 'apple'))
    expect(await find({ search_query: ' ' }, given)).toEqual([])
    expect(embedded).toEqual([])
    await expect(find({ memory_base: '' }, given)).rejects.toThrow('No Memory Base is selected.')
    await expect(find({}, given, '')).rejects.toThrow(
      "A session_id is needed to search this session's memory. Turn off Filter by Session to search all.",
    )
    await expect(find({}, { ...given, memories: { open: async () => null } })).rejects.toThrow(
      "Memory Base 'memory' is not attached to this flow.",
    )
  })
})
