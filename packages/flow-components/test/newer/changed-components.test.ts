import { describe, expect, test } from 'vitest'
import {
  builtinComponents,
  file,
  mcpTools,
  saveToFile,
  splitText,
  unifiedWebSearch,
  url,
} from '@x/flow-components'
import { languageModel } from '@x/flow-engine/components'
import { createNode } from '@x/flow-engine'
import { refreshNode } from '@x/flow-engine'
import type { ComponentServices } from '@x/flow-engine'
import { checkFlow, createRegistry, runFlow } from '@x/flow-engine'
import { createMessage, type Message } from '@x/flow-engine'
import type { DataFrame } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { flowBuilder, testComponent } from '@x/flow-engine/testing'
import { scriptedFetch, textAnswer } from '@x/test-kit'

describe('changed components (NX-27, NX-28)', () => {
  test('NX-27: File decodes with the given encoding, and reads only local files', async () => {
    const files = { 'a.txt': new Uint8Array([0x82, 0xa0]), 'b.txt': 'plain' }
    const services = createMemoryServices({ files })
    const read = async (inputs: object) =>
      (
        (await testComponent(file, { inputs: { ...inputs }, output: 'message', services }))
          .value as Message
      ).text
    expect(await read({ path: ['a.txt'], text_encoding: 'shift_jis' })).toBe('あ')
    expect(await read({ path: ['b.txt'], text_encoding: 'utf8', storage_location: [] })).toBe(
      'plain',
    )
    expect(await read({ path: ['b.txt'], storage_location: [{ name: 'Local' }] })).toBe('plain')
    await expect(
      read({ path: ['b.txt'], storage_location: [{ name: 'Google Drive' }] }),
    ).rejects.toThrow("Storage location 'Google Drive' is not supported here.")
    await expect(read({ path: ['b.txt'], text_encoding: 'klingon' })).rejects.toThrow(
      "Text Encoding 'klingon' is unknown",
    )
  })

  test('NX-27: a single field sets the format of SaveToFile', async () => {
    const services = createMemoryServices()
    const inputs = {
      input: createMessage('hello'),
      file_name: 'note',
      storage_location: [{ name: 'Local' }],
      local_format: 'json',
      file_format: 'txt',
    }
    await testComponent(saveToFile, { inputs, services })
    expect(await services.files.list('', { flowId: '' })).toEqual(['note.txt'])
  })

  test('NX-28: SplitText returns only the text with clean output', async () => {
    const split = async (clean_output: boolean) => {
      const inputs = { data_inputs: createMessage('a'), clean_output }
      return ((await testComponent(splitText, { inputs })).value as DataFrame).rows[0]
    }
    expect(await split(true)).toEqual({ text: 'a' })
    expect(Object.keys((await split(false)) ?? {}).length).toBeGreaterThan(1)
  })

  test('NX-28: the value of a Text Input can be a variable, whatever other fields the editor stores', async () => {
    const flow = flowBuilder()
    flow.add('TextInput', { id: 'TextInput-1', values: { input_value: 'GREETING' } })
    const json = flow.toJSON()
    const [node] = json.data?.nodes ?? []
    Object.assign(node?.data.node.template.input_value ?? {}, { load_from_db: true })
    Object.assign(node?.data.node.template ?? {}, {
      use_global_variable: { type: 'bool', value: true, show: true },
    })
    const { outputs } = await runFlow(json, {
      components: createRegistry(builtinComponents),
      services: { variables: { get: async () => 'good day' } },
      outputType: 'debug',
    }).result
    expect(outputs[0]?.outputs['text']).toMatchObject({ text: 'good day' })
  })

  test('NX-28: Web Search applies its limits; files without these fields have none', async () => {
    const items = [1, 2, 3].map(
      (at) => `<item><title>${at} long title</title><link>https://a.example/${at}</link></item>`,
    )
    const feed = `<rss><channel>${items.join('')}</channel></rss>`
    const search = async (inputs: object, inputTypes: Readonly<Record<string, string>>) => {
      const { fetch } = scriptedFetch(textAnswer(feed, 'application/rss+xml'))
      const given = { search_mode: 'RSS', query: 'https://a.example/feed', ...inputs }
      const options = { inputs: given, services: { fetch }, inputTypes }
      return ((await testComponent(unifiedWebSearch, options)).value as DataFrame).rows
    }
    const both = { max_results: 'IntInput', max_content_length: 'IntInput' }
    const bounded = await search({ max_results: 2, max_content_length: 6 }, both)
    expect(bounded.map((row) => [row['title'], row['link']])).toEqual([
      ['1 long', 'https://a.example/1'],
      ['2 long', 'https://a.example/2'],
    ])
    expect(await search({ max_results: 0, max_content_length: 0 }, both)).toHaveLength(3)
    expect(await search({}, {})).toHaveLength(3)
  })

  test('NX-28: URL follows redirects by default', async () => {
    const asked: string[] = []
    const services: ComponentServices = {
      fetch: async (input, init) => {
        const request = new Request(input, init)
        asked.push(request.url)
        return request.url.endsWith('/new')
          ? textAnswer('<p>page</p>', 'text/html')
          : new Response(null, { status: 302, headers: { location: '/new' } })
      },
    }
    const read = async (inputs: Record<string, unknown>): Promise<unknown> =>
      await testComponent(url, {
        inputs: { urls: ['https://a.example/'], ...inputs },
        services,
        output: 'page_results',
      })
    expect(JSON.stringify(await read({}))).toContain('page')
    expect(asked).toEqual(['https://a.example/', 'https://a.example/new'])
    await read({ follow_redirects: false }).catch(() => undefined)
    expect(asked.slice(2)).toEqual(['https://a.example/'])
  })

  test('NX-28: MCP Tools sends headers besides those of the server, and applies its timeout', async () => {
    const seen: unknown[] = []
    const services: ComponentServices = {
      mcp: {
        connect: async ({ config }) => {
          seen.push(config)
          return {
            listTools: async () => [{ name: 'slow', inputSchema: { type: 'object' } }],
            callTool: (_name, _args, { signal }) =>
              new Promise((_resolve, reject) =>
                signal.addEventListener('abort', () => reject(signal.reason as Error)),
              ),
            close: async () => undefined,
          }
        },
      },
    }
    const inputs = {
      mcp_server: { name: 's', config: { url: 'http://s.example', headers: { a: '1', b: '2' } } },
      headers: { b: '3', c: '4' },
      tool: 'slow',
      tool_execution_timeout: 0.05,
    }
    await expect(testComponent(mcpTools, { inputs, services })).rejects.toThrow(
      'The tool slow took longer than 0.05 s',
    )
    expect(seen[0]).toMatchObject({ headers: { a: '1', b: '3', c: '4' } })
  })
})

describe('the choices of a model picker (NX-16)', () => {
  const picker = { type: 'model', _input_type: 'ModelInput', model_type: 'language', name: 'model' }
  async function refreshed(
    value: unknown,
    services: ComponentServices = {},
    more: object = {},
  ): Promise<Record<string, unknown>> {
    const node = createNode(languageModel)
    node.data.node.template.model = { ...picker, value, ...more }
    const { data } = await refreshNode(languageModel, node, { field: 'model', value }, { services })
    return { ...data.node.template.model }
  }
  const providers = ({ options }: Record<string, unknown>) => [
    ...new Set((options as { provider: string }[]).map(({ provider }) => provider)),
  ]

  test('NX-16: offers models of the providers with a key, or of all providers without any key', async () => {
    const keys = new Map([['GROQ_API_KEY', 'k']])
    const variables = { get: async (name: string) => keys.get(name) ?? null }
    const some = await refreshed('', { variables, environment: { OPENAI_API_KEY: 'sk' } })
    expect(providers(some)).toEqual(['Groq', 'OpenAI'])
    expect(some['options']).toContainEqual({
      name: 'gpt-4o-mini',
      provider: 'OpenAI',
      category: 'OpenAI',
      icon: 'OpenAI',
      metadata: {},
    })
    const all = providers(await refreshed(''))
    expect(all).toContain('Anthropic')
    expect(all).toEqual(all.toSorted((one, other) => one.localeCompare(other)))
    const embedding = await refreshed('', {}, { model_type: 'embedding' })
    expect(JSON.stringify(embedding['options'])).toContain('text-embedding-3-small')
    expect(JSON.stringify(embedding['options'])).not.toContain('gpt-4o')
  })

  test('NX-16: a choice is kept while it is offered, or if it was typed by hand', async () => {
    const environment = { GROQ_API_KEY: 'k' }
    const kept = [{ name: 'llama-3.3-70b-versatile', provider: 'Groq' }]
    expect((await refreshed(kept, { environment }))['value']).toEqual(kept)
    const typed = [{ name: 'my-own-model', provider: 'OpenAI' }]
    expect((await refreshed(typed, { environment }))['value']).toEqual(typed)
    const gone = [{ name: 'gpt-4o-mini', provider: 'OpenAI' }]
    expect((await refreshed(gone, { environment }))['value']).toEqual([])
  })

  test('NX-16: connect_other_models opens the handle and is kept as a string', async () => {
    expect(await refreshed('connect_other_models')).toMatchObject({
      value: 'connect_other_models',
      input_types: ['LanguageModel'],
    })
    expect(await refreshed('connect_other_models', {}, { model_type: 'embedding' })).toMatchObject({
      input_types: ['Embeddings'],
    })
  })
})

describe('components of 1.7.1 in newer files (NX-29, NX-33 to NX-35)', () => {
  const components = createRegistry(builtinComponents)

  test('NX-29: Loop, If-Else, Message History and the chats are the same components', () => {
    for (const type of [
      'LoopComponent',
      'ConditionalRouter',
      'Memory',
      'ChatInput',
      'ChatOutput',
    ]) {
      const node = { id: 'n', data: { type, node: { template: {}, lf_version: '1.13.0' } } }
      expect(components.resolve(node)?.type).toBe(type)
    }
  })

  test('NX-33: a Human Input without connected outputs does not ask', async () => {
    const flow = flowBuilder()
    flow.add('HumanInput', { id: 'HumanInput-1', values: { prompt: 'Sure?' } })
    const { status } = await runFlow(flow.toJSON(), { components }).result
    expect(status).toBe('succeeded')
  })

  test('NX-33: a flow that asks is refused before it runs if no one can answer', async () => {
    const flow = flowBuilder('Flow', { components: builtinComponents })
    const asks = flow.add('HumanInput', { id: 'HumanInput-1', values: { prompt: 'Sure?' } })
    const input = flow.add('TextInput', { values: { input_value: 'x' } })
    flow.connect(`${asks}.branch_approve`, `${flow.add('ChatOutput')}.input_value`)
    flow.connect(`${input}.text`, `${asks}.prompt`)
    const run = runFlow(flow.toJSON(), { components })
    const outcome = await run.result.then(
      ({ error }) => error,
      (error: unknown) => error,
    )
    expect(String(outcome)).toMatch(/person|resum/i)
  })

  test('NX-34: RunFlow, SmartRouter, GuardrailValidator and the old parsers exist', () => {
    for (const type of [
      'RunFlow',
      'SmartRouter',
      'GuardrailValidator',
      'ParseData',
      'ParseDataFrame',
    ]) {
      expect(components.get(type)?.type).toBe(type)
    }
  })

  test('FF-81: refused components say what to use instead', () => {
    for (const [type, why] of [
      ['ExportDoclingDocument', "use File, or a host's own converter"],
      ['SequentialCrewComponent', 'use Agents as tools of an Agent'],
      ['SemanticRouter', 'use Smart Router'],
      ['MarkItDown', 'use File'],
      ['ComposioGmailAPIComponent', 'use MCP Tools'],
      ['OpenAPIAgent', 'use an Agent with tools'],
      ['ComposioAPI', 'use MCP Tools'],
      ['Milvus', 'use Astra DB, Chroma DB'],
      ['Elasticsearch', 'OpenSearch'],
      ['ZepChatMemory', 'use Message History'],
    ] as const) {
      const node = { id: 'n', data: { type, node: { template: {} } } }
      expect(components.resolve(node)).toBeUndefined()
      expect(components.whyUnknown(node)).toContain(why)
    }
  })

  test('FF-81: what to use instead follows what is said of the node’s own Python', () => {
    const python = (code: string) => ({
      data: {
        nodes: [
          { id: 'n', data: { type: 'Milvus', node: { template: { code: { value: code } } } } },
        ],
      },
    })
    const said = (code: string) => checkFlow(python(code), { components })[0]?.message
    const own = 'from langflow.custom import Component\nclass A(Component): pass'
    expect(said(own)).toMatch(/SERVICE_PYTHON=true; use Astra DB, .*Weaviate\)$/)
    expect(said(`import torch\n${own}`)).toMatch(/would not be enough; use Astra DB/)
    const chroma = said(`import chromadb\n${own}`) ?? ''
    expect(chroma).toContain('Replace the node by Chroma DB.')
    expect(chroma).not.toContain('use Astra DB')
  })

  test('NX-35: unsupported components give the reason', () => {
    for (const [type, why] of [
      ['PythonREPLComponent', 'Python'],
      ['A2AAgent', 'agent-to-agent'],
      ['DoclingInline', 'document engine'],
      ['ScheduleTrigger', 'scheduler'],
      ['YouTubeTranscripts', 'no public API'],
    ] as const) {
      const node = { id: 'n', data: { type, node: { template: {} } } }
      expect(components.resolve(node)).toBeUndefined()
      expect(components.whyUnknown(node)).toContain(why)
    }
  })
})
