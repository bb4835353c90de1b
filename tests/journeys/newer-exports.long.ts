import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtinComponents } from '@x/flow-components'
import type { FlowJson, FlowNode } from '@x/flow-engine'
import { flowBuilder, startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, expect, test } from 'vitest'
import { importFlow, messageOf, runFlow, sharedService } from './flow-calls.ts'
import { eventsOf } from './flows.ts'
import { makeBase } from './knowledge-flows.ts'
import { readingFlow, uploadToFlow, uploadToUser } from './material.ts'
import { newPerson } from './people.ts'
import type { Answer } from './service.ts'

const model = await startFakeOpenAi()
afterAll(() => model.close())
const service = sharedService({ OPENAI_BASE_URL: model.url })

const STARTERS = process.env['FLOW_STARTERS'] ?? ''
const CHOICE = [{ name: 'gpt-4o-mini', provider: 'OpenAI' }]

function nodesOf(flow: FlowJson): FlowNode[] {
  return flow.data?.nodes ?? flow.nodes ?? []
}

/** What the flow said; an answer that is an error fails with its text. */
function said(answer: Answer): string | undefined {
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, ''])
  return messageOf(answer)
}

async function storeKey(key: string): Promise<void> {
  const body = {
    name: 'OPENAI_API_KEY',
    value: 'sk-of-the-user',
    type: 'Credential',
    default_fields: [],
  }
  const made = await service().call('POST', '/api/v1/variables/', { key, body })
  expect([made.status, made.status === 201 ? '' : made.text]).toEqual([201, ''])
}

/** What a person does in the editor after the import: chooses a model where the flow has a picker. */
function choose(flow: FlowJson): FlowJson {
  for (const { data } of nodesOf(flow)) {
    for (const field of Object.values(data.node.template)) {
      if (typeof field === 'object' && field?.type === 'model') field.value = CHOICE
    }
  }
  return flow
}

/** Nodes as versions 1.8 to 1.13 write them: types of extensions, a picker, JSON in place of Data. */
function newer(flow: FlowJson): FlowJson {
  const types = new Map([
    [
      'LanguageModelComponent',
      'lfx.components.models_and_agents.language_model.LanguageModelComponent',
    ],
    ['Chroma', 'ext:chroma:ChromaVectorStoreComponent@official'],
  ])
  for (const { data } of nodesOf(flow)) {
    const { template, metadata } = data.node
    data.type = types.get(data.type) ?? data.type
    data.node['lf_version'] = '1.13.0'
    data.node.metadata = { ...metadata, dependencies: { total_dependencies: 1 } }
    if (template['provider'] === undefined || template['model_name'] === undefined) continue
    const text = { type: 'str', _input_type: 'StrInput', value: '', show: true, advanced: true }
    template['model'] = {
      type: 'model',
      _input_type: 'ModelInput',
      model_type: 'language',
      input_types: ['LanguageModel'],
      required: true,
      show: true,
      value: '',
    }
    template['provider'] = { ...text, name: 'provider' }
    template['model_name'] = { ...text, name: 'model_name' }
    template['api_key'] = { ...template['api_key'], value: '', load_from_db: true }
  }
  return flow
}

function asking(): FlowJson {
  const flow = flowBuilder('Asks', { components: builtinComponents })
  const input = flow.add('ChatInput', { id: 'ChatInput-1' })
  const asks = flow.add('LanguageModelComponent', { id: 'LanguageModel-1' })
  flow.connect(`${input}.message`, `${asks}.input_value`)
  flow.connect(
    `${asks}.text_output`,
    `${flow.add('ChatOutput', { id: 'ChatOutput-1' })}.input_value`,
  )
  return newer(flow.toJSON())
}

test('NX-3, NX-13: a newer file is stored unchanged and runs once a model is chosen and a key is stored', async () => {
  const person = await newPerson(service(), 'newer-user')
  const { key } = person
  const flow = asking()
  const id = await importFlow(service(), flow, { key })
  const stored = await service().call('GET', `/api/v1/flows/${id}`, { key })
  expect(JSON.stringify((stored.json() as FlowJson).data)).toBe(JSON.stringify(flow.data))

  expect((await runFlow(service(), id, 'hello', { key })).text).toContain(
    'A model selection is required',
  )
  const chosen = choose(flow).data
  await service().call('PATCH', `/api/v1/flows/${id}`, { key, body: { data: chosen } })
  const asked = await runFlow(service(), id, 'hello', { key })
  expect(asked.text).toContain(
    'OpenAI API key is required when using OpenAI provider. Set it in the component or in the variable OPENAI_API_KEY.',
  )
  await storeKey(key)
  model.reply('Hello to you')
  expect(said(await runFlow(service(), id, 'hello', { key }))).toBe('Hello to you')
})

test.skipIf(STARTERS === '').for(['1.9.6', '1.11.6', '1.13.0'])(
  'NX-13: Basic Prompting of %s runs with a chosen model and a stored key',
  async (version) => {
    const person = await newPerson(service(), `starter-${version}`)
    const { key } = person
    const path = join(STARTERS, version, 'Basic Prompting.json')
    if (!existsSync(path)) return
    const flow = choose(JSON.parse(readFileSync(path, 'utf8')) as FlowJson)
    const { id: _, ...body } = flow
    const id = await importFlow(service(), body, { key })
    await storeKey(key)
    model.reply('A prompt was answered')
    expect(said(await runFlow(service(), id, 'hello', { key }))).toBe('A prompt was answered')
  },
)

test('NX-27: files of both upload kinds are read only by runs of their owner', async () => {
  const owner = await newPerson(service(), 'newer-files')
  const other = await newPerson(service(), 'newer-others')
  const mine = await uploadToUser(service(), 'note.txt', { key: owner.key })
  const withFile = (path: string, location?: object[]): FlowJson => {
    const flow = readingFlow([path])
    for (const { data } of nodesOf(flow)) {
      if (data.type !== 'File') continue
      data.node.template['storage_location'] = {
        type: 'sortableList',
        _input_type: 'SortableListInput',
        value: location ?? [{ name: 'Local', icon: 'hard-drive' }],
        show: true,
      }
    }
    return flow
  }
  const run = async (flow: FlowJson, key: string) =>
    runFlow(service(), await importFlow(service(), flow, { key }), 'x', { key })
  expect(said(await run(withFile(mine), owner.key))).toContain('blue umbrella')
  const foreign = await run(withFile(mine), other.key)
  expect(foreign.text).toContain('File not found')
  expect(foreign.text).not.toContain('umbrella')

  const id = await importFlow(service(), readingFlow(), { key: owner.key })
  const ofFlow = await uploadToFlow(service(), id, 'note.txt', owner.key)
  expect(said(await run(withFile(ofFlow), owner.key))).toContain('blue umbrella')
  expect((await run(withFile(ofFlow), other.key)).text).toContain('File not found')

  const elsewhere = await run(withFile(mine, [{ name: 'AWS' }]), owner.key)
  expect(elsewhere.text).toContain("Storage location 'AWS' is not supported here.")
})

test('NX-30: one Knowledge node fills a base, another searches it', async () => {
  await makeBase(service(), 'newer-base')
  const flowWith = (
    values: object,
    build: (flow: ReturnType<typeof flowBuilder>, base: string) => void,
  ) => {
    const flow = flowBuilder('Knows', { components: builtinComponents })
    const base = flow.add('Knowledge', { values: { knowledge_base: 'newer-base', ...values } })
    build(flow, base)
    const json = flow.toJSON()
    for (const { data } of nodesOf(json)) {
      // The editor hides the half of the node that its mode does not use.
      const isHidden = data.type === 'Knowledge' && data.node.template['mode']?.value === 'Retrieve'
      if (isHidden) Object.assign(data.node.template['input_df'] ?? {}, { show: false })
    }
    return importFlow(service(), json)
  }
  const fill = await flowWith({ mode: 'Ingest' }, (flow, base) => {
    flow.connect(`${flow.add('ChatInput')}.message`, `${base}.input_df`)
    flow.connect(`${base}.dataframe_output`, `${flow.add('ChatOutput')}.input_value`)
  })
  expect(said(await runFlow(service(), fill, 'red apples are sweet'))).toContain('chunks_created')
  const ask = await flowWith({ mode: 'Retrieve', top_k: 1 }, (flow, base) => {
    flow.connect(`${flow.add('ChatInput')}.message`, `${base}.search_query`)
    const parser = flow.add('ParserComponent', { values: { pattern: '{content}' } })
    flow.connect(`${base}.retrieve_data`, `${parser}.input_data`)
    flow.connect(`${parser}.parsed_text`, `${flow.add('ChatOutput')}.input_value`)
  })
  expect(said(await runFlow(service(), ask, 'fruit'))).toBe('red apples are sweet')
})

test('NX-7, NX-9: one error names all missing types with their nodes; other nodes run', async () => {
  const flow = flowBuilder('Lacks', { components: builtinComponents })
  const input = flow.add('ChatInput', { id: 'ChatInput-1' })
  flow.connect(`${input}.message`, `${flow.add('ChatOutput', { id: 'ChatOutput-1' })}.input_value`)
  flow.add('YouTubeTranscripts', { id: 'YouTubeTranscripts-a' })
  const slack = 'ext:slack:SlackSearchComponent@official'
  flow.add(slack, { id: `${slack}-b` })
  flow.add(slack, { id: 'Slack-c' })
  const id = await importFlow(service(), flow.toJSON())
  const refused = await runFlow(service(), id, 'hi')
  expect(refused.status).toBe(400)
  expect((refused.json() as { detail: string }).detail).toBe(
    'Unknown component types: YouTubeTranscripts (YouTubeTranscripts-a: no public API for transcripts; ' +
      `its own Python runs with SERVICE_PYTHON=true and the wheels of youtube-transcript-api and defusedxml), ${slack} (${slack}-b, Slack-c)`,
  )
  const path = `/api/v1/build/${id}/flow?event_delivery=direct&stop_component_id=ChatOutput-1`
  const events = eventsOf(
    await service().call('POST', path, { body: { inputs: { input_value: 'hi' } } }),
  )
  expect(events.filter(({ event }) => event === 'error')).toEqual([])
  expect(events.filter(({ event }) => event === 'end_vertex')).toHaveLength(2)
})
