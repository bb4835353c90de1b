import { describe, expect, test } from 'vitest'
import {
  basicCatalogIds,
  bind,
  createSurfaceStore,
  createSurfaceWriter,
  event,
  uiV09,
  validateSubmission,
  type JsonObject,
} from '@x/surface-protocol'
import { formatA2aExtension, negotiateA2aExtension } from '@x/surface-protocol/catalog'
import {
  createAgUiReader,
  createAgUiSurfaces,
  fromAgUi,
  fromDataPart,
  fromMcpContent,
  fromRenderTool,
  toActivityEvent,
  toDataPart,
  toMcpResult,
  toRecoveryEvent,
  toToolResult,
} from '@x/surface-protocol/interop'
import { v1 } from '@x/surface-protocol/v1'

const remove = (surfaceId: string) => ({ version: 'v0.9.1', deleteSurface: { surfaceId } })
const create = (surfaceId: string) => ({
  version: 'v0.9.1',
  createSurface: { surfaceId, catalogId: basicCatalogIds[0] ?? '' },
})
const operations = (...list: object[]) => ({ a2ui_operations: list })

describe('SX-39: the A2A extension of a version', () => {
  const uri = (number: string) => `https://a2ui.org/a2a-extension/a2ui/v${number}`

  test('has the number that was asked for', () => {
    for (const [version, number] of [
      ['0.8', '0.8'],
      ['0.9', '0.9'],
      ['0.9.1', '0.9.1'],
      [v1, '1.0'],
    ] as const) {
      expect(formatA2aExtension({ version, catalogs: [] }).uri).toBe(uri(number))
    }
  })

  test('is the first of the server that was requested', () => {
    const versions = ['0.9.1', '0.8'] as const
    const negotiate = (requested: string | string[] | Headers | null) =>
      negotiateA2aExtension({ requested, versions })
    expect(negotiate(`${uri('0.8')}, ${uri('0.9.1')}`)).toEqual({
      version: '0.9.1',
      uri: uri('0.9.1'),
    })
    expect(negotiate([uri('0.9')])).toEqual({ version: '0.9.1', uri: uri('0.9') })
    expect(negotiate(new Headers({ 'X-A2A-Extensions': uri('0.8') }))).toEqual({
      version: '0.8',
      uri: uri('0.8'),
    })
    expect(negotiate(new Headers({ 'A2A-Extensions': `x,${uri('0.9.1')}` }))?.version).toBe('0.9.1')
    for (const none of [null, '', [], uri('1.0'), new Headers()]) expect(negotiate(none)).toBeNull()
  })
})

test('SX-40: parts of A2A 1.0', () => {
  const part = toDataPart([remove('s')], { version: '0.9.1', a2a: '1.0' })
  expect(part).toEqual({ data: [remove('s')], mediaType: 'application/a2ui+json' })
  expect(fromDataPart(part)).toEqual([remove('s')])
  expect(fromDataPart({ data: [1], mediaType: 'text/plain' })).toBeNull()
})

test('SX-41d: content for a view of MCP Apps', () => {
  const result = toMcpResult([remove('s')], { uri: 'ui://s', forView: true })
  const [, block] = result.content as JsonObject[]
  expect(block).toMatchObject({ _meta: { ui: { content: {} } } })
  expect(fromMcpContent(result.content)).toEqual([remove('s')])
  const plain = toMcpResult([], { uri: 'ui://s' }).content as JsonObject[]
  expect(plain[1]).not.toHaveProperty('_meta')
  const resource = { mimeType: 'application/json+a2ui', text: JSON.stringify(remove('s')) }
  expect(fromMcpContent({ type: 'resource', resource })).toEqual([remove('s')])
})

describe('SX-41: messages in AG-UI', () => {
  const list = [create('s'), remove('s')]
  test.each([
    ['a snapshot', toActivityEvent(list, { messageId: 'm' })],
    ['a delta', toActivityEvent(list, { messageId: 'm', append: true })],
    ['a tool call', { type: 'TOOL_CALL_RESULT', messageId: 'm', content: toToolResult(list) }],
    ['a tool message', { role: 'tool', id: 'm', content: toToolResult(list) }],
    ['an object', operations(...list)],
    ['JSON', JSON.stringify(operations(...list))],
    [
      'SX-41a: an activity',
      { role: 'activity', activityType: 'a2ui-surface', content: operations(...list) },
    ],
    [
      'SX-41a: a thread',
      {
        type: 'MESSAGES_SNAPSHOT',
        messages: [
          { role: 'user', content: 'x' },
          { role: 'tool', content: toToolResult([create('s')]) },
          { role: 'activity', activityType: 'a2ui-surface', content: operations(remove('s')) },
        ],
      },
    ],
  ])('are read from %s', (_, value) => expect(fromAgUi(value)).toEqual(list))

  test.each([
    null,
    1,
    'x',
    '{"a2ui_operations":',
    {},
    { type: 'RUN_STARTED' },
    { type: 'MESSAGES_SNAPSHOT', messages: [{ role: 'user', content: 'x' }] },
    { role: 'activity', activityType: 'other', content: operations() },
  ])('%j has none', (value) => expect(fromAgUi(value)).toBeNull())

  test('of the tool render_a2ui', () => {
    const store = createSurfaceStore({ version: '0.9.1' })
    const messages = fromRenderTool(
      {
        surfaceId: 's',
        components: [{ id: 'root', component: 'Text', text: { path: '/a' } }],
        data: { a: 'x' },
      },
      { catalogId: basicCatalogIds[1] ?? '' },
    )
    expect(messages.map((one) => Object.keys(one)[1])).toEqual([
      'createSurface',
      'updateDataModel',
      'updateComponents',
    ])
    expect(store.applyAll(messages).every(({ applied }) => applied)).toBe(true)
    expect(() => fromRenderTool({ surfaceId: 's', components: [] }, { version: '0.8' })).toThrow(
      TypeError,
    )
    expect(fromRenderTool({ surfaceId: 's', components: [] }, { version: v1 })[0]?.version).toBe(
      'v1.0',
    )
  })

  test('SX-41a: a reader gives each operation once', () => {
    const { read } = createAgUiReader()
    const snapshot = (...all: object[]) => toActivityEvent(all, { messageId: 'm' })
    expect(read(snapshot(create('s')))).toEqual([create('s')])
    expect(read(snapshot(create('s')))).toEqual([])
    const more = { version: 'v0.9.1', updateDataModel: { surfaceId: 's', path: '/a', value: 1 } }
    expect(read(snapshot(create('s'), more))).toEqual([more])
    expect(read(toActivityEvent([more], { messageId: 'm', append: true }))).toEqual([more])
    expect(read(snapshot(create('s'), more, more))).toEqual([])
    expect(read(snapshot(create('t')))).toEqual([remove('s'), create('t')])
    expect(read({ type: 'TEXT_MESSAGE_CONTENT' })).toEqual([])
    expect(read(toActivityEvent([create('u')], { messageId: 'n' }))).toEqual([create('u')])
  })
})

describe('SX-41b SX-41c: the surfaces of a store in AG-UI', () => {
  const form = (heading: string) =>
    uiV09.Column({
      children: [
        uiV09.Text({ text: heading }),
        uiV09.TextField({ label: 'Name', value: bind('/name') }),
        uiV09
          .Button({
            child: uiV09.Text({ text: 'Go' }),
            action: event('go', { name: bind('/name') }),
          })
          .id('go'),
      ],
    })
  async function carried(options: { compactAfter?: number; catalogId?: string } = {}) {
    const sent: object[] = []
    const writer = createSurfaceWriter({ version: '0.9.1', send: (one) => void sent.push(one) })
    const surfaces = createAgUiSurfaces({ store: writer.store, ...options })
    const next = (runId?: string) =>
      surfaces.events(sent.splice(0), runId === undefined ? {} : { runId })
    await writer.render('s', { root: form('Hello'), data: { name: 'a', n: 1 } })
    return { writer, surfaces, next }
  }
  const valueOf = (one: JsonObject | undefined): unknown => {
    const client = createSurfaceStore({ version: '0.9.1' })
    client.applyAll(fromAgUi(one) ?? [])
    return client.get('s')?.data
  }

  test('one activity for each surface, the same in every run', async () => {
    const { writer, next, surfaces } = await carried({ catalogId: basicCatalogIds[1] ?? '' })
    const [first, ...others] = next('r1')
    expect(others).toEqual([])
    expect(first).toMatchObject({ type: 'ACTIVITY_SNAPSHOT', messageId: 'a2ui:s', replace: true })
    expect(fromAgUi(first)?.map((one) => Object.keys(one as object)[1])).toEqual([
      'createSurface',
      'updateDataModel',
      'updateComponents',
    ])
    expect(fromAgUi(first)?.[0]).toMatchObject({ createSurface: { catalogId: basicCatalogIds[1] } })
    await writer.update('s', '/n', 2)
    expect(next('r1')).toMatchObject([
      {
        type: 'ACTIVITY_DELTA',
        messageId: 'a2ui:s',
        patch: [{ op: 'add', path: '/a2ui_operations/-' }],
      },
    ])
    await writer.update('s', '/n', 3)
    const [later] = next('r2')
    expect(later).toMatchObject({ type: 'ACTIVITY_SNAPSHOT', messageId: 'a2ui:s' })
    expect(valueOf(later)).toEqual({ name: 'a', n: 3 })
    expect(surfaces.snapshotEvents()).toEqual([later])
    await writer.render('t', { root: uiV09.Divider({}) })
    await writer.delete('s')
    const events = next('r2')
    expect(events.map((one) => one.messageId)).toEqual(['a2ui:t', 'a2ui:s'])
    expect(fromAgUi(events[1])).toEqual([remove('s')])
  })

  test('a long list is compacted', async () => {
    const { writer, next } = await carried({ compactAfter: 5 })
    next('r')
    const types: unknown[] = []
    for (let n = 0; n < 4; n += 1) {
      await writer.update('s', '/n', n)
      types.push(next('r')[0]?.type)
    }
    expect(types).toEqual([
      'ACTIVITY_DELTA',
      'ACTIVITY_DELTA',
      'ACTIVITY_SNAPSHOT',
      'ACTIVITY_DELTA',
    ])
  })

  test('what the user sent stays until the server writes it', async () => {
    const { writer, next, surfaces } = await carried()
    next('r1')
    const submission = validateSubmission(writer.store, {
      userAction: {
        name: 'go',
        surfaceId: 's',
        sourceComponentId: 'go',
        timestamp: 1,
        context: { name: 'typed' },
      },
    })
    expect(submission.diagnostics).toEqual([])
    surfaces.received(submission)
    await writer.update('s', '/n', 2)
    const [snapshot] = next('r1')
    expect(snapshot?.type).toBe('ACTIVITY_SNAPSHOT')
    expect(valueOf(snapshot)).toEqual({ name: 'typed', n: 2 })
    expect(writer.store.getData('s', '/name')).toBe('a')
    await writer.update('s', '/name', '')
    next('r2')
    expect(valueOf(surfaces.snapshotEvents()[0])).toEqual({ name: '', n: 2 })
    surfaces.received({ message: null })
  })

  test('wrong options are refused', () => {
    const store = createSurfaceStore({ version: '0.9.1' })
    for (const wrong of [{ compactAfter: 0 }, { catalogId: 'x' }, { catalog: 1 }]) {
      expect(() => createAgUiSurfaces({ store, ...wrong })).toThrow(TypeError)
    }
    expect(() => createAgUiSurfaces({ store: createSurfaceStore() })).toThrow(TypeError)
  })
})

test('SX-34a: what the user sees while a model repeats its answer', () => {
  const told = { messageId: 'a2ui:s', status: 'retrying', attempt: 2, maxAttempts: 3 } as const
  expect(toRecoveryEvent(told)).toEqual({
    type: 'ACTIVITY_SNAPSHOT',
    messageId: 'a2ui:s',
    activityType: 'a2ui-surface',
    content: { status: 'retrying', attempt: 2, maxAttempts: 3 },
    replace: true,
  })
  expect(fromAgUi(toRecoveryEvent(told))).toBeNull()
})
