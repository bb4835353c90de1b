import { builtinComponents } from '@x/flow-components'
import { createFlowService, defaultSettings, groupSettings } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { createRegistry } from '@x/flow-engine'
import { createScriptedModel, flowBuilder } from '@x/flow-engine/testing'
import { createTestEngine } from '@x/test-kit'
import { describe, expect, test } from 'vitest'

type FlowBuilder = ReturnType<typeof flowBuilder>

const valid = {
  store: createMemoryFlowStore(),
  files: createMemoryBlobStore(),
  secretKey: 'at least 32 characters of a secret',
}

describe('HO-21 a wrong option of a flow service', () => {
  test.each(
    [
      [undefined, 'createFlowService: options are required (store, files, secretKey)'],
      [{ ...valid, store: undefined }, 'createFlowService: option "store" is required'],
      [
        { ...valid, store: { users: {} } },
        'createFlowService: option "store" must be a FlowStore: it has no method users.get',
      ],
      [
        { ...valid, settings: { maxFlowsPerUser: 'many' } },
        `createFlowService: option "settings.maxFlowsPerUser" must be an integer of at least 0, got 'many'`,
      ],
      [
        { ...valid, maxFlowsPerUser: 1 },
        'createFlowService: unknown option "maxFlowsPerUser". Did you mean "limits.perUser.maxFlowsPerUser"?',
      ],
      [
        { ...valid, settings: { basePath: 'flows' } },
        `createFlowService: option "settings.basePath" must begin with / and not end with /, got 'flows'; write '/flows'`,
      ],
      [
        { ...valid, secretKey: 'short' },
        'createFlowService: option "secretKey" must have at least 32 characters, got 5 characters',
      ],
      [
        { ...valid, components: builtinComponents },
        'createFlowService: option "components" must be a registry, got an array; write createRegistry(components)',
      ],
      [
        { ...valid, services: { message: {} } },
        'createFlowService: unknown option "services.message". Did you mean "services.messages"?',
      ],
      [
        { ...valid, openai: { maxRun: 1 } },
        'createFlowService: unknown option "openai.maxRun". Did you mean "openai.maxRuns"?',
      ],
      [{ ...valid, mcp: true }, 'createFlowService: option "mcp" must be false, got true'],
      [
        { ...valid, settings: { eventDelivery: 'stream' } },
        `createFlowService: option "settings.eventDelivery" must be 'streaming', 'polling' or 'direct', got 'stream'`,
      ],
      [{ ...valid, onError: 1 }, 'createFlowService: option "onError" must be a function, got 1'],
    ].map(([given, message]) => ({ given, message })),
  )('$message', ({ given, message }) => {
    const create = (): unknown => createFlowService(given as never)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(expect.objectContaining({ message, code: 'invalid_option' }))
  })

  test('HO-26 a single chat model serves every provider; an embedding model is then missing', async () => {
    const engine = await createTestEngine({
      components: createRegistry(builtinComponents),
      models: createScriptedModel(['scripted']),
    })
    const { id } = await engine.services.users.create({
      username: 'ada',
      password: 'secret-1',
      isActive: true,
    })
    const user = { userId: id, isSuperuser: false }
    const post = async (path: string, body: unknown): Promise<Response> =>
      await engine.handler(
        new Request(`http://host.example/api/v1${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
        { user },
      )
    const run = async (flow: FlowBuilder): Promise<string> => {
      const made = (await (await post('/flows/', { ...flow.toJSON() })).json()) as { id: string }
      return await (await post(`/run/${made.id}`, { input_value: 'hello' })).text()
    }
    const chat = flowBuilder('chat')
    const model = chat.add('LanguageModelComponent')
    chat.connect(`${chat.add('ChatInput')}.message`, `${model}.input_value`)
    chat.connect(`${model}.text_output`, `${chat.add('ChatOutput')}.input_value`)
    expect(await run(chat)).toContain('scripted')
    const vectors = flowBuilder('vectors')
    const of = (type: string) => builtinComponents.find((one) => one.type === type) ?? type
    const embedder = vectors.add(of('EmbeddingModel'), { values: { api_key: 'a key' } })
    const store = vectors.add(of('Chroma'), { values: { collection_name: 'c', search_query: 'x' } })
    vectors.connect(`${embedder}.embeddings`, `${store}.embedding`)
    vectors.connect(`${store}.dataframe`, `${vectors.add(of('ChatOutput'))}.input_value`)
    expect(await run(vectors)).toContain(
      'No embedding model is given: pass models as { chatModel, embedder }',
    )
    await engine.close()
  })

  test('HO-20 leaves services of the host alone', async () => {
    const services = { billing: {} } as never
    const engine = createFlowService({ ...valid, services })
    await expect(engine.close()).resolves.toBeUndefined()
  })
})

describe('H3-53 options in groups', () => {
  test.each([
    [
      { settings: { http: { cors: { origins: 'https://a.example' } } } },
      `option "settings.http.cors.origins" must be an array of strings, got 'https://a.example'`,
    ],
    [
      { limits: { perUser: { maxFlowsPerUser: -1 } } },
      'option "limits.perUser.maxFlowsPerUser" must be an integer of at least 0, got -1',
    ],
    [
      { limits: { perUser: { maxFlowPerUser: 1 } } },
      'unknown option "limits.perUser.maxFlowPerUser". Did you mean "limits.perUser.maxFlowsPerUser"?',
    ],
    [
      { doors: { openai: { maxRun: 1 } } },
      'unknown option "doors.openai.maxRun". Did you mean "doors.openai.maxRuns"?',
    ],
    [
      { settings: { auth: { autoLogin: true }, autoLogin: true } },
      'the options "settings.auth.autoLogin" and "settings.autoLogin" exclude each other',
    ],
    [
      { observe: { onError: () => undefined }, onError: () => undefined },
      'the options "observe.onError" and "onError" exclude each other',
    ],
  ])('%j is told as it was written', (given, message) => {
    const create = (): unknown => createFlowService({ ...valid, ...given } as never)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(`createFlowService: ${message}`)
  })

  test('settings that contradict each other are named by their groups', () => {
    const sessions = { refreshSameSite: 'none', refreshSecure: false } as const
    expect(() => createFlowService({ ...valid, settings: { sessions } })).toThrow(
      'settings.sessions.refreshSameSite "none" requires settings.sessions.refreshSecure',
    )
  })

  test('every flat option and setting has one group, and a service reads it from there', async () => {
    const flat = { ...defaultSettings, corsOrigins: ['https://a.example'], maxFlowVersions: 7 }
    const grouped = groupSettings(flat)
    const engine = createFlowService({ ...valid, ...grouped })
    const asked = await engine.handler(
      new Request('http://localhost/health', { headers: { origin: 'https://a.example' } }),
    )
    expect(asked.headers.get('access-control-allow-origin')).toBe('https://a.example')
    await engine.close()
  })
})
