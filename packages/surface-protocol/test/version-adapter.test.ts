import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSurfaceStore, type JsonObject, type Version } from '@x/surface-protocol'
import { createSurfaceChannel } from '@x/surface-protocol/http'
import { createVersionAdapter } from '@x/surface-protocol/interop'
import { basicCatalogV1, v1 } from '@x/surface-protocol/v1'
import { basicTable } from '../src/catalog/v09/basic-table.ts'

const CREATE = { createSurface: { surfaceId: 's', catalogId: basicTable.catalogId } }
const say = (message: object, version = 'v0.9.1') => ({ version, ...message }) as JsonObject
const update = (...components: object[]) =>
  say({ updateComponents: { surfaceId: 's', components } })
const data = (path: string, more: object = {}) =>
  say({ updateDataModel: { surfaceId: 's', path, ...more } })

function convert(from: Version, to: Version, messages: readonly object[]) {
  const adapter = createVersionAdapter({ from, to })
  const converted = messages.flatMap((message) => adapter.push(message))
  const lost = adapter.diagnostics.map(({ related = [], componentId = '', path }) =>
    [related[0], componentId, path].join(' '),
  )
  return { messages: converted, lost, diagnostics: adapter.diagnostics }
}

const components = (messages: readonly JsonObject[]): JsonObject[] =>
  messages.flatMap((message) => {
    const payload = (message.updateComponents ?? message.createSurface) as JsonObject | undefined
    return (payload?.components ?? []) as JsonObject[]
  })

describe('SN-58: 0.9.1 to 1.0', () => {
  test('bindings, calls, escapes, removals and the catalog', () => {
    const { messages, lost } = convert('0.9.1', v1, [
      say(CREATE),
      update(
        { id: 'root', component: 'Column', children: { componentId: 't', path: '/rows' } },
        { id: 't', component: 'Text', text: { path: 'n' } },
        {
          id: 'b',
          component: 'Button',
          child: 't',
          checks: [
            { condition: { call: 'required', args: { value: { path: '/a' } } }, message: 'Say.' },
            { condition: true, message: 'never' },
            { condition: false, message: 'always' },
          ],
          action: { event: { name: 'go', context: { '@k': { path: '/a' } } } },
        },
      ),
      data('/a'),
      data('/b', { value: { '@x': 1 } }),
      say({ deleteSurface: { surfaceId: 's' } }),
    ])
    expect(lost).toEqual([])
    expect(messages[0]).toEqual({
      version: 'v1.0',
      createSurface: { surfaceId: 's', catalogId: basicCatalogV1.catalogId },
    })
    expect(components(messages)).toEqual([
      { id: 'root', component: 'Column', children: { componentId: 't', path: '/rows' } },
      { id: 't', component: 'Text', text: { '@path': 'n' } },
      {
        id: 'b',
        component: 'Button',
        child: 't',
        checks: [
          {
            condition: { '@call': 'required', args: { value: { '@path': '/a' } } },
            message: 'Say.',
          },
          { condition: { '@call': 'not', args: { value: true } }, message: 'always' },
        ],
        action: { event: { name: 'go', context: { '@@k': { '@path': '/a' } } } },
      },
    ])
    expect(messages.slice(2)).toEqual([
      { version: 'v1.0', updateDataModel: { surfaceId: 's', path: '/a', value: null } },
      { version: 'v1.0', updateDataModel: { surfaceId: 's', path: '/b', value: { '@x': 1 } } },
      { version: 'v1.0', deleteSurface: { surfaceId: 's' } },
    ])
    const store = createSurfaceStore({ version: v1 })
    expect(store.applyAll(messages).flatMap(({ diagnostics }) => diagnostics)).toEqual([])
  })

  test('losses are reported once per component and kind, with their path', () => {
    const heading = { id: 'h', component: 'Text', variant: 'h2', text: 'Hi' }
    const field = {
      id: 'f',
      component: 'TextField',
      label: 'L',
      value: { path: '/f' },
      validationRegexp: '^a',
    }
    const { messages, lost } = convert('0.9.1', v1, [
      say({ createSurface: { ...CREATE.createSurface, theme: { primaryColor: '#000000' } } }),
      update(heading, field),
      update(heading),
      data('/a', { value: null }),
    ])
    expect(lost).toEqual([
      'theme  /createSurface/theme',
      'variant h /updateComponents/components/0/variant',
      'validationRegexp f /updateComponents/components/1/validationRegexp',
      'null  /updateDataModel/value',
    ])
    const [first, second] = components(messages)
    expect(first).toEqual({ id: 'h', component: 'Text', text: '## Hi' })
    expect(second?.checks).toEqual([
      {
        condition: { '@call': 'regex', args: { value: { '@path': '/f' }, pattern: '^a' } },
        message: 'Invalid value.',
      },
    ])
  })

  test('ids that are not identifiers are renamed everywhere and restored in actions', () => {
    const adapter = createVersionAdapter({ from: '0.9.1', to: v1 })
    const sent = [
      say(CREATE),
      update(
        { id: 'root', component: 'Column', children: ['1-a', '_1_2d_a', 'b'] },
        { id: '1-a', component: 'Text', text: '1-a' },
        { id: '_1_2d_a', component: 'Text', text: 'x' },
        { id: 'b', component: 'Tabs', tabs: [{ title: 'T', child: '1-a' }] },
      ),
    ]
    const converted = sent.flatMap((message) => adapter.push(message))
    const [root, first, , tabs] = components(converted)
    const [renamed = ''] = (root?.children ?? []) as string[]
    expect(new Set(root?.children as string[]).size).toBe(3)
    expect(first).toMatchObject({ id: renamed, text: '1-a' })
    expect(tabs?.tabs).toEqual([{ title: 'T', child: renamed }])
    expect(createSurfaceStore({ version: v1 }).applyAll(converted)).toMatchObject([
      { applied: true },
      { applied: true },
    ])
    const action = { name: 'go', surfaceId: 's', timestamp: '2026-01-01T00:00:00Z', context: {} }
    const back = adapter.push(
      say({ action: { ...action, sourceComponentId: renamed, userMessage: 'x' } }, 'v1.0'),
    )
    expect(back).toEqual([say({ action: { ...action, sourceComponentId: '1-a' } })])
  })
})

describe('SN-58: 1.0 to 0.9.1', () => {
  test('one createSurface becomes three messages, in order', () => {
    const { messages, lost } = convert(v1, '0.9.1', [
      say(
        {
          createSurface: {
            surfaceId: 's',
            catalogId: 'https://a2ui.org/catalogs/basic/v1/catalog.json',
            components: [
              { id: 'root', component: 'Text', text: { '@path': '/a' }, catalogId: undefined },
            ],
            dataModel: { a: 'x' },
          },
        },
        'v1.0',
      ),
      say({ updateDataModel: { surfaceId: 's', path: '/a', value: null } }, 'v1.0'),
    ])
    expect(lost).toEqual([])
    expect(messages).toEqual([
      say(CREATE),
      data('/', { value: { a: 'x' } }),
      update({ id: 'root', component: 'Text', text: { path: '/a' } }),
      data('/a'),
    ])
  })

  test('features that 0.9.1 lacks are reported', () => {
    const component = {
      id: 'f',
      component: 'TextField',
      label: { '@call': '@index', args: { offset: 1 } },
      value: { '@call': 'shout', catalogId: 'urn:other', args: {} },
      placeholder: 'p',
      catalogId: 'urn:third',
      metadata: { extensions: { a: 1 } },
      accessibility: { label: 'l', live: 'polite', hidden: true },
      checks: [{ condition: { '@path': '/ok' } }],
      action: { event: { name: 'e', userMessage: 'm', context: {} } },
    }
    const others = [
      { id: 'g', component: 'Slider', value: 1, max: 2, steps: 3 },
      { id: 'h', component: 'Video', url: 'u', posterUrl: 'p' },
    ]
    const created = { surfaceId: 's', metadata: {}, components: [component, ...others] }
    const { messages, lost } = convert(v1, '0.9.1', [
      say({ createSurface: created }, 'v1.0'),
      say({ agentFunctionResponse: { functionCallId: 'c', value: 1 } }, 'v1.0'),
    ])
    expect(
      lost.map((one) => one.split(' ')[0]).toSorted((a = '', b = '') => a.localeCompare(b)),
    ).toEqual(
      [
        '@index',
        'catalog',
        'catalog',
        'hidden',
        'live',
        'message',
        'metadata',
        'metadata',
        'placeholder',
        'posterUrl',
        'rpc',
        'steps',
        'userMessage',
      ].toSorted(),
    )
    expect(components(messages)[0]).toEqual({
      id: 'f',
      component: 'TextField',
      label: '',
      value: { call: 'shout', args: {} },
      accessibility: { label: 'l' },
      checks: [{ condition: { path: '/ok' }, message: 'Invalid value.' }],
      action: { event: { name: 'e', context: {} } },
    })
  })
})

describe('SN-58: 0.9.1 to 0.8', () => {
  test('functions, checks and the rest of the table are reported', () => {
    const { messages, lost } = convert('0.9.1', '0.8', [
      say({
        createSurface: {
          ...CREATE.createSurface,
          sendDataModel: true,
          theme: { primaryColor: '#112233', agentDisplayName: 'A' },
        },
      }),
      update(
        { id: 'root', component: 'Column', children: ['t', 'i', 'p', 'l'] },
        { id: 't', component: 'Text', text: { call: 'formatString', args: { value: 'x' } } },
        { id: 'i', component: 'Icon', name: 'rewind' },
        { id: 'p', component: 'Icon', name: { svgPath: 'M0' } },
        { id: 'l', component: 'Slider', label: 'x', value: 1, max: 2, checks: [] },
      ),
      data('/a', { value: [null] }),
    ])
    expect(lost).toEqual([
      'sendDataModel  /createSurface/sendDataModel',
      'theme.agentDisplayName  /createSurface/theme/agentDisplayName',
      'function t /updateComponents/components/1/text',
      'icon i /updateComponents/components/2/name',
      'svgPath p /updateComponents/components/3/name',
      'check l /updateComponents/components/4/checks',
      'null  /updateDataModel/value',
    ])
    const store = createSurfaceStore()
    const results = store.applyAll(messages)
    expect(results.flatMap(({ diagnostics }) => diagnostics)).toEqual([])
    expect(store.get('s')?.styles).toEqual({ primaryColor: '#112233' })
  })

  test('SN-59: with the store a function is its value, written again when its inputs change', () => {
    const store = createSurfaceStore({ version: '0.9.1' })
    const adapter = createVersionAdapter({ from: '0.9.1', to: '0.8', store })
    const receiver = createSurfaceStore()
    const send = (message: JsonObject) => {
      expect(store.apply(message).applied).toBe(true)
      const results = receiver.applyAll(adapter.push(message))
      expect(results.every(({ applied }) => applied)).toBe(true)
      return results.length
    }
    send(say(CREATE))
    send(data('/', { value: { who: 'Ida', other: 1 } }))
    const text = { call: 'formatString', args: { value: 'Hello ${/who}' } }
    send(update({ id: 'root', component: 'Text', text }))
    const shown = () => receiver.tree('s')?.properties.text
    expect(shown()).toBe('Hello Ida')
    send(data('/who', { value: 'Bo' }))
    expect(shown()).toBe('Hello Bo')
    expect(send(data('/other', { value: 2 }))).toBe(1)
    expect(adapter.diagnostics).toEqual([])
  })

  test('an action of 0.8 comes back as one of the source, by way of 0.9.1', () => {
    const adapter = createVersionAdapter({ from: v1, to: '0.8' })
    const created = { surfaceId: 's', components: [{ id: 'root', component: 'Divider' }] }
    expect(adapter.push(say({ createSurface: created }, 'v1.0'))).toHaveLength(2)
    const action = {
      name: 'go',
      surfaceId: 's',
      sourceComponentId: 'root',
      timestamp: '2026-01-01T00:00:00Z',
      context: { a: 1 },
    }
    expect(adapter.push({ userAction: action })).toEqual([say({ action }, 'v1.0')])
    const reverse = createVersionAdapter({ from: '0.8', to: v1 })
    const begin = { surfaceId: 's', root: 'top' }
    reverse.push({ surfaceUpdate: { surfaceId: 's', components: [divider('top')] } })
    expect(reverse.push({ beginRendering: begin }).map((one) => one.version)).toEqual([
      'v1.0',
      'v1.0',
    ])
    expect(reverse.push(say({ action }, 'v1.0'))).toEqual([
      { userAction: { ...action, sourceComponentId: 'top' } },
    ])
  })
})

const divider = (id: string) => ({ id, component: { Divider: {} } })

test('SN-58: pushing never throws, and excessive nesting is reported', () => {
  let deep: object = {}
  for (let n = 0; n < 200; n += 1) deep = { deep }
  for (const [from, to] of [
    ['0.8', v1],
    ['0.9.1', '0.8'],
    ['0.9', v1],
    [v1, '0.8'],
    [v1, '0.9.1'],
  ] as const) {
    const adapter = createVersionAdapter({ from, to })
    fc.assert(
      fc.property(fc.anything(), (value) => Array.isArray(adapter.push(value))),
      { numRuns: 50 },
    )
    for (const key of ['createSurface', 'updateComponents', 'updateDataModel', 'deleteSurface']) {
      for (const value of [1, null, {}, { surfaceId: 's' }, { surfaceId: 's', components: [1] }]) {
        expect(Array.isArray(adapter.push({ [key]: value }))).toBe(true)
      }
    }
    adapter.push({ updateDataModel: { surfaceId: 's', value: deep } })
    expect(adapter.diagnostics.some(({ limit }) => limit === 'jsonDepth')).toBe(true)
  }
})

test('SN-59: 0.9.1 to 1.0 and back gives an equal view when no loss was reported', () => {
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom(
      { path: '/a' },
      { path: 'b/c' },
      {
        call: 'formatString',
        args: { value: '${/a} ${b}' },
      },
    ),
  )
  const text = (id: string) => value.map((one) => ({ id, component: 'Text', text: one }))
  const context = fc.dictionary(fc.constantFrom('k', '@k', '@@k', 'path'), value)
  const model = fc.dictionary(
    fc.constantFrom('a', 'b', '@c', 'call'),
    fc.oneof(fc.string(), fc.constant([1, null, { '@d': null }])),
  )
  const surface = fc.tuple(text('a'), text('b'), context, model)
  fc.assert(
    fc.property(surface, ([first, second, sent, dataModel]) => {
      const action = { event: { name: 'go', context: sent } }
      const messages = [
        say(CREATE),
        update({ id: 'root', component: 'Column', children: ['a', 'c'] }, first, second, {
          id: 'c',
          component: 'Button',
          child: 'b',
          action,
        }),
        data('/', { value: dataModel }),
      ]
      const there = convert('0.9.1', v1, messages)
      const back = convert(v1, '0.9.1', there.messages)
      expect([...there.lost, ...back.lost]).toEqual([])
      const [before, after] = [messages, back.messages].map((list) => {
        const store = createSurfaceStore({ version: '0.9.1' })
        store.applyAll(list)
        return store.get('s')
      })
      expect(after).toEqual(before)
      const later = createSurfaceStore({ version: v1 })
      expect(later.applyAll(there.messages).every(({ applied }) => applied)).toBe(true)
      expect(later.get('s')?.data).toEqual(before?.data)
    }),
    { numRuns: 60 },
  )
})

test('SN-57: one channel serves three versions at once, and each resumes', async () => {
  const channel = createSurfaceChannel({ version: '0.9.1', versions: ['0.8', v1] })
  const sent = [
    say(CREATE),
    data('/', { value: { rows: [{ n: 1 }, { n: 2 }] } }),
    update({ id: 'root', component: 'Divider' }),
    data('/rows/0/n', { value: 7 }),
  ]
  for (const message of sent) await channel.send(message as never)
  channel.close()
  const read = async (version: Version, after = '') => {
    const items = []
    for await (const item of channel.subscribe({ version, after })) items.push(item)
    return items
  }
  const [own, earlier, later] = await Promise.all([read('0.9.1'), read('0.8'), read(v1)])
  expect(own.map(({ message }) => message)).toEqual(sent)
  expect(later.at(-1)?.message).toEqual({
    version: 'v1.0',
    updateDataModel: { surfaceId: 's', path: '/rows/0/n', value: 7 },
  })
  expect(earlier.at(-1)?.message).toEqual({
    dataModelUpdate: {
      surfaceId: 's',
      path: '/rows/0',
      contents: [{ key: 'n', valueNumber: 7 }],
    },
  })
  const third = own[2]?.id ?? ''
  for (const version of ['0.9.1', '0.8', v1] as const) {
    const rest = await read(version, third)
    expect(rest.map(({ id }) => id)).toEqual([own[3]?.id])
  }
  const stores = [
    createSurfaceStore({ version: '0.9.1' }),
    createSurfaceStore(),
    createSurfaceStore({ version: v1 }),
  ]
  ;[own, earlier, later].forEach((items, at) => {
    const results = stores[at]?.applyAll(items.map(({ message }) => message)) ?? []
    expect(results.every(({ applied }) => applied)).toBe(true)
  })
  expect(stores.map((store) => store.tree('s')?.type)).toEqual(['Divider', 'Divider', 'Divider'])
})
