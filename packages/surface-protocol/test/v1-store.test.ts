import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  bind,
  call,
  createSurfaceStore,
  createSurfaceWriter,
  createUi,
  createUserAction,
  formatMessage,
  parseMessages,
  validateClientMessage,
  validateMessage,
  validateSubmission,
  type JsonObject,
  type JsonValue,
} from '@x/surface-protocol'
import { formatA2aExtension, parseCatalog } from '@x/surface-protocol/catalog'
import { basicCatalogV1, v1, validateRendererMessage } from '@x/surface-protocol/v1'

const BASIC = basicCatalogV1.catalogId
const say = (message: object) => ({ version: 'v1.0', ...message })
const create = (more: object = {}) =>
  say({ createSurface: { surfaceId: 's', catalogId: BASIC, ...more } })
const update = (...components: object[]) =>
  say({ updateComponents: { surfaceId: 's', components } })
const data = (path: string, value: JsonValue) =>
  say({ updateDataModel: { surfaceId: 's', path, value } })
const label = (id: string, words: unknown = id) => ({ id, component: 'Text', text: words })
const column = (id: string, ...children: string[]) => ({ id, component: 'Column', children })

function filled(...components: object[]) {
  const store = createSurfaceStore({ version: v1 })
  const first = store.apply(create(components.length === 0 ? {} : { components }))
  const codes = (message: unknown) => store.apply(message).diagnostics.map(({ code }) => code)
  return { store, first, codes }
}

describe('SN-2: the preview', () => {
  test('no module of the other entries reaches what is of 1.0 alone', () => {
    const seen = new Set<string>()
    const visit = (file: URL): void => {
      if (seen.has(file.pathname)) return
      seen.add(file.pathname)
      const source = readFileSync(file, 'utf8')
      for (const [, type, path = ''] of source.matchAll(
        /(?:import|export) (type )?[^'"]*?from '(\.[^']+)'/g,
      )) {
        if (type === undefined) visit(new URL(path, file))
      }
    }
    for (const entry of ['index', 'catalog', 'functions', 'http', 'interop', 'llm', 'html']) {
      visit(new URL(`../src/${entry}.ts`, import.meta.url))
    }
    expect(seen.size).toBeGreaterThan(100)
    expect([...seen].filter((path) => /\/v1[/.]|-v1\.ts$|\/rpc\//.test(path))).toEqual([])
  })

  test('SN-1: the name 1.0 throws with advice; messages are written in their own version', () => {
    expect(() => createSurfaceStore({ version: '1.0' as '0.9' })).toThrow(
      'Version 1.0 is experimental: import { v1 } from "@x/surface-protocol/v1".',
    )
    expect(() => createSurfaceStore({ version: {} as '0.9' })).toThrow(TypeError)
    expect(formatMessage(create() as never, { version: v1 })).toContain('"version":"v1.0"')
    expect(() => formatMessage(create() as never, { version: '0.9.1' })).toThrow(/another version/)
    expect(formatA2aExtension({ version: v1, catalogs: [] }).uri).toMatch(/v1\.0$/)
    expect(formatA2aExtension({ version: '0.9', catalogs: [] }).uri).toMatch(/v0\.9$/)
    expect(formatA2aExtension({ version: '0.9.1', catalogs: [] }).uri).toMatch(/v0\.9\.1$/)
    expect(formatA2aExtension({ catalogs: [] }).uri).toMatch(/v0\.8$/)
  })

  test('SN-5: a list and a wrapper; each message is judged alone', () => {
    const list = [create(), { version: 'v1.0' }, say({ deleteSurface: { surfaceId: 's' } })]
    for (const text of [JSON.stringify(list), JSON.stringify({ messages: list })]) {
      const results = parseMessages(text, { version: v1 })
      expect(results.map(({ message }) => message !== null)).toEqual([true, false, true])
    }
    expect(parseMessages('{"deleteSurface":{"surfaceId":"s"}}')).toHaveLength(1)
    expect(() => parseMessages('{')).toThrow(/not valid JSON/)
  })
})

describe('SN-4 SN-6 SN-8: messages', () => {
  test('errors have a path', () => {
    const at = (message: object) =>
      validateMessage(message, { version: v1, catalogs: [basicCatalogV1] }).diagnostics.map(
        ({ code, path }) => `${code} ${path}`,
      )
    expect(at({ ...create(), version: 'v0.9.1' })).toEqual(['unsupported_version /version'])
    expect(at({ ...create(), beginRendering: {} })).toEqual(['unsupported_version /beginRendering'])
    expect(at(create({ theme: {} }))).toEqual(['unknown_key /createSurface/theme'])
    expect(at(create({ catalogId: 'x' }))).toEqual(['unknown_catalog /createSurface/catalogId'])
    expect(at(create({ dataModel: [] }))).toEqual(['invalid_type /createSurface/dataModel'])
    expect(at(create({ components: [] }))).toEqual(['invalid_value /createSurface/components'])
    expect(at(create({ metadata: { extensions: { 'a:b': 1 } } }))).toEqual([
      'invalid_identifier /createSurface/metadata/extensions/a:b',
    ])
    expect(at(say({ updateDataModel: { surfaceId: 's', path: '/a' } }))).toEqual([
      'missing_field /updateDataModel/value',
    ])
    expect(at(update({ id: 'a', component: 'Surface' }))).toEqual([
      'invalid_value /updateComponents/components/0/component',
    ])
    expect(at(update({ ...label('a'), metadata: 1 }))).toEqual([
      'invalid_type /updateComponents/components/0/metadata',
    ])
    expect(at(update(label('1')))).toEqual(['invalid_identifier /updateComponents/components/0/id'])
    expect(at(update(label('a', { '@path': '/a', x: 1 })))).toEqual([
      'invalid_property /updateComponents/components/0/text/x',
    ])
    expect(at(update({ ...label('a'), checks: [] }))).toEqual([
      'invalid_property /updateComponents/components/0/checks',
    ])
    expect(
      at(say({ agentFunctionResponse: { functionCallId: 'c', value: 1, error: {} } })),
    ).toEqual(['not_exactly_one /agentFunctionResponse'])
    expect(
      at(say({ callRendererFunction: { functionCallId: 'c', callFunction: { '@call': 'f' } } })),
    ).toEqual(['missing_field /callRendererFunction/callFunction/catalogId'])
  })

  test('messages of the client', () => {
    const action = {
      name: 'go',
      surfaceId: 's',
      sourceComponentId: 'b',
      timestamp: '2026-01-01T00:00:00Z',
      context: {},
    }
    const codes = (message: object) =>
      validateRendererMessage(say(message)).diagnostics.map(({ code }) => code)
    expect(codes({ action: { ...action, userMessage: 'm', metadata: {} } })).toEqual([])
    expect(codes({ action: { ...action, userMessage: 1 } })).toEqual(['invalid_type'])
    expect(codes({ action: { ...action, x: 1 } })).toEqual(['unknown_key'])
    const error = { code: 'X', message: 'm' }
    expect(codes({ error })).toEqual(['not_exactly_one'])
    expect(codes({ error: { ...error, functionCallId: 'c', more: 1 } })).toEqual([])
    expect(codes({ error: { ...error, functionCallId: 'c', surfaceId: 's' } })).toEqual([
      'not_exactly_one',
    ])
    const unallowed = { code: 'UNALLOWED_CHILD', message: 'm', surfaceId: 's' }
    expect(codes({ error: unallowed })).toEqual(['missing_field'])
    expect(codes({ error: { ...unallowed, path: '/a', x: 1 } })).toEqual(['unknown_key'])
    expect(validateClientMessage(say({ action }), { version: v1 }).message).toEqual(say({ action }))
  })
})

describe('SN-14 SN-54: surfaces', () => {
  test('createSurface is applied whole or not at all, as one message', () => {
    const store = createSurfaceStore({ version: v1 })
    const events: string[] = []
    for (const name of ['surface.created', 'surface.rendered', 'surface.changed'] as const) {
      store.on(name, () => events.push(name))
    }
    const wrong = create({ dataModel: { a: 1 }, components: [label('root'), { id: 'x' }] })
    expect(store.apply(wrong).applied).toBe(false)
    expect([store.surfaceIds(), events]).toEqual([[], []])
    const components = [column('root', 'a'), label('a', { '@path': '/a' })]
    const result = store.apply(create({ dataModel: { a: 1 }, components }))
    expect(result.change).toMatchObject({ revision: 1, status: 'rendered', nodeIds: ['root', 'a'] })
    expect(events).toEqual(['surface.created', 'surface.rendered'])
    expect(store.apply(create()).diagnostics).toMatchObject([{ code: 'surface_exists' }])
  })

  test('a snapshot gives an equal view, with metadata, catalogs, null and arrays', () => {
    const { store } = filled()
    store.apply(say({ deleteSurface: { surfaceId: 's' } }))
    const created = {
      surfaceId: 's',
      sendDataModel: true,
      metadata: { extensions: { own: [1] } },
      dataModel: { rows: [{ n: null }], '@k': 1 },
      components: [
        { ...label('root'), catalogId: BASIC, metadata: { extensions: { a: { b: 1 } } } },
      ],
    }
    store.apply(say({ createSurface: created }))
    expect(store.get('s')).toMatchObject({
      version: '1.0',
      catalogId: null,
      status: 'rendered',
      components: created.components,
      data: created.dataModel,
    })
    expect(store.snapshot()).toEqual([say({ createSurface: created })])
    const copy = createSurfaceStore({ version: v1, limits: { componentsPerMessage: 1 } })
    copy.applyAll(store.snapshot())
    expect(copy.get('s')).toEqual(store.get('s'))
    copy.apply(update({ ...label('b'), catalogId: BASIC }))
    expect(copy.snapshot()).toHaveLength(2)
  })

  test('SN-24: null removes at the path and stays inside of values', () => {
    const { store, codes } = filled()
    codes(data('/', { a: { b: 1, c: null }, list: [1, 2] }))
    codes(data('/a/b', null))
    codes(data('/list/0', null))
    codes(data('/nowhere/x', null))
    expect(store.getData('s')).toEqual({ a: { c: null }, list: [null, 2] })
    codes(data('/', null))
    expect(store.getData('s')).toEqual({})
  })

  test('SN-55: the writer sends one createSurface, then differences; null is never sent at a path', async () => {
    const sent: JsonObject[] = []
    const ui = createUi(basicCatalogV1)
    const writer = createSurfaceWriter({
      version: v1,
      send: (message) => void sent.push(message),
    })
    const root = (words: string) =>
      ui.Column({ children: [ui.Text({ text: words }), ui.Text({ text: bind('/a') })] })
    const metadata = { extensions: { own: 1 } }
    await writer.render('w', { root: root('x'), data: { a: 1, b: { c: 1 } }, metadata })
    await writer.render('w', { root: root('y'), data: { a: null, b: { c: null } }, metadata })
    await writer.update('w', '/a', call('x').name)
    await writer.remove('w', '/b')
    await writer.render('w', { root: root('y'), data: { a: 'x' } })
    const receiver = createSurfaceStore({ version: v1 })
    expect(receiver.applyAll(sent).every(({ applied }) => applied)).toBe(true)
    expect(sent.map((message) => Object.keys(message)[1])).toEqual([
      'createSurface',
      'updateComponents',
      'updateDataModel',
      'updateDataModel',
      'updateDataModel',
      'deleteSurface',
      'createSurface',
    ])
    expect(sent[2]).toEqual(
      say({ updateDataModel: { surfaceId: 'w', path: '/', value: { a: null, b: { c: null } } } }),
    )
    expect(receiver.getData('w')).toEqual({ a: 'x' })
  })
})

describe('SN-40: @index', () => {
  const INDEX = { '@call': '@index', args: { offset: 1 } }
  const list = { id: 'root', component: 'List', children: { componentId: 't', path: '/rows' } }

  test('the position in arrays, kept up to date', () => {
    const { store, codes } = filled(list, label('t', INDEX))
    const shown = () =>
      ((store.tree('s')?.properties.children ?? []) as { properties: JsonObject }[]).map(
        ({ properties }) => properties.text,
      )
    codes(data('/rows', ['a', 'b']))
    expect(shown()).toEqual(['1', '2'])
    codes(data('/rows', ['a', 'b', 'c']))
    expect(shown()).toEqual(['1', '2', '3'])
    codes(data('/rows', ['b', 'c']))
    expect(shown()).toEqual(['1', '2'])
    expect(store.evaluate('s', { '@call': '@index' }, { nodeId: 't:1' })).toBe(1)
    expect(() => store.evaluate('s', { '@call': '@index' })).toThrow(/outside of a template/)
  })

  test('outside of templates it is refused as soon as the component can be seen', () => {
    const inside = label('t', INDEX)
    const alone = filled(label('root', INDEX))
    expect(alone.first.diagnostics).toMatchObject([
      { code: 'index_outside_template', path: '/createSurface/components/0' },
    ])
    const { codes, store } = filled(list, inside)
    expect(codes(update(label('later', INDEX)))).toEqual([])
    expect(codes(update(column('root', 'wrap'), column('wrap', 'later')))).toEqual([
      'index_outside_template',
    ])
    expect(codes(update(column('root', 't')))).toEqual(['index_outside_template'])
    expect(store.get('s')?.components[0]).toEqual(list)
    expect(codes(update(label('x', { '@call': '@foo' })))).toEqual(['unknown_function'])
    expect(codes(update(label('x', { '@call': '@index', args: { a: 1 } })))).toEqual([
      'invalid_argument',
    ])
  })
})

test('SN-47: parents and children are judged against everything that is stored', () => {
  const part = (more: object) => ({
    type: 'object',
    properties: { children: { $ref: 'common_types.json#/$defs/ChildList' } },
    ...more,
  })
  const catalog = parseCatalog(
    {
      catalogId: 'c',
      protocolVersion: '1.0',
      components: {
        Column: part({}),
        Row: part({}),
        Header: part({ allowedParents: ['Column'] }),
        Box: part({ allowedChildren: ['Column', 'Row'] }),
        Page: part({ allowedParents: ['Surface'] }),
      },
    },
    { version: v1 },
  )
  const store = createSurfaceStore({ version: v1, catalogs: [catalog] })
  const node = (id: string, component: string, ...children: string[]) => ({
    id,
    component,
    ...(children.length === 0 ? {} : { children }),
  })
  const messages = (...components: object[]) =>
    store.apply(update(...components)).diagnostics.map(({ message }) => message)
  store.apply(say({ createSurface: { surfaceId: 's', catalogId: 'c' } }))
  expect(messages(node('root', 'Page', 'a'), node('a', 'Row', 'b'))).toEqual([])
  expect(messages(node('b', 'Header'))).toEqual([
    "Component 'b' (Header) cannot be placed under 'a' (Row). Allowed parents: Column.",
  ])
  expect(messages(node('a', 'Column', 'b'), node('b', 'Header'))).toEqual([])
  expect(messages(node('a', 'Row', 'b'))).toHaveLength(1)
  expect(messages(node('a', 'Box', 'b'))).toEqual([
    "Component 'b' (Header) cannot be placed under 'a' (Box). Allowed parents: Column.",
    "Container 'a' (Box) cannot contain 'b' (Header). Allowed children: Column, Row.",
  ])
  expect(messages(node('a', 'Page'))).toHaveLength(1)
  expect(messages(node('root', 'Header'))).toEqual([
    "Component 'root' (Header) cannot be placed under the surface. Allowed parents: Column.",
  ])
  expect(store.tree('s')?.type).toBe('Page')
})

test('SN-41 SN-42: results of checks, actions with words, and submissions', () => {
  const store = createSurfaceStore({
    version: v1,
    functions: { strong: () => ({ valid: false, severity: 'warning', message: 'Weak.' }) },
    catalogs: [
      basicCatalogV1,
      parseCatalog(
        {
          catalogId: 'own',
          protocolVersion: '1.0',
          components: {},
          functions: { strong: { returnType: 'validationResult', properties: {} } },
        },
        { version: v1 },
      ),
    ],
  })
  const mail = { '@path': '/mail' }
  store.apply(
    create({
      dataModel: { mail: '' },
      components: [
        column('root', 'field', 'send'),
        {
          id: 'field',
          component: 'TextField',
          label: 'Mail',
          value: mail,
          checks: [
            { condition: { '@call': 'email', args: { value: mail } } },
            { condition: { '@call': 'strong', catalogId: 'own' }, message: 'never' },
          ],
        },
        {
          id: 'send',
          component: 'Button',
          child: 'x',
          action: {
            event: {
              name: 'send',
              userMessage: { '@call': 'formatString', args: { value: 'Sent ${/mail}' } },
              context: { mail, '@@k': { '@@v': 1 } },
            },
          },
        },
      ],
    }),
  )
  const action = createUserAction(store, { surfaceId: 's', nodeId: 'send' })
  expect(action).toMatchObject({
    version: 'v1.0',
    action: { userMessage: 'Sent ', context: { mail: '', '@k': { '@v': 1 } } },
  })
  const { timestamp } = (action as unknown as { action: JsonObject }).action
  const submit = (words: string) =>
    validateSubmission(
      store,
      say({
        action: {
          name: 'send',
          surfaceId: 's',
          sourceComponentId: 'send',
          timestamp,
          context: { mail: words, '@k': { '@v': 1 } },
        },
      }),
    )
  expect(submit('ida@')).toMatchObject({
    message: null,
    diagnostics: [
      { code: 'check_failed', severity: 'error', message: 'Invalid value.' },
      { code: 'check_failed', severity: 'warning', message: 'Weak.' },
    ],
  })
  const { message, diagnostics, data: seen } = submit('ida@example.org')
  expect(message).not.toBeNull()
  expect(diagnostics.map(({ severity }) => severity)).toEqual(['warning'])
  expect(seen).toEqual({ mail: 'ida@example.org' })
  expect(store.getData('s')).toEqual({ mail: '' })
})

test('SN-44: names that are not identifiers, and catalogs of another version', () => {
  const parse = (document: object) => () =>
    parseCatalog({ catalogId: 'c', components: {}, ...document }, { version: v1 })
  expect(parse({ components: { 'a-b': {} } })).toThrow(/"a-b"/)
  expect(parse({ components: { Surface: {} } })).toThrow(/Surface/)
  expect(parse({ functions: { 'f g': {} } })).toThrow(/"f g"/)
  expect(parse({ protocolVersion: '0.9' })).toThrow(/1\.0/)
  expect(() =>
    parseCatalog({ catalogId: 'c', protocolVersion: 'v1.0' }, { version: '0.9.1' }),
  ).toThrow(/0\.9/)
})

test('SN-73: many components with @index, checks and pairs are judged in linear time', () => {
  const { store } = filled()
  const index = { '@call': '@index' }
  const count = 5000
  const chain = Array.from({ length: count }, (_, at) => ({
    ...column(`c${at}`, `c${at + 1}`, `i${at}`),
  }))
  const leaves = Array.from({ length: count }, (_, at) => label(`i${at}`, index))
  expect(store.apply(update(...chain)).applied).toBe(true)
  expect(store.apply(update(...leaves)).applied).toBe(true)
  const { diagnostics } = store.apply(update(column('root', 'c0')))
  expect(diagnostics.at(-1)).toMatchObject({ code: 'limit_exceeded', limit: 'diagnostics' })
})
