import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bind,
  buildComponents,
  createJsonLinesParser,
  createSurfaceBuilder,
  createSurfaceStore,
  createSurfaceWriter,
  createUi,
  defaultLimits,
  each,
  formatDataPath,
  formatEntries,
  formatMessage,
  parseDataPath,
  parseEntries,
  ref,
  toSelfContained,
  ui,
  validateMessage,
  type JsonObject,
  type AnyServerMessage,
  type ServerMessage,
} from '@x/surface-protocol'
import { defineCatalog, parseCatalog, serverMessageSchema } from '@x/surface-protocol/catalog'
import { z } from 'zod'

/** All modules a source file imports at run time, with the bare ones. */
function importsOf(entry: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(entry.href)) return seen
  seen.add(entry.href)
  const source = readFileSync(entry, 'utf8')
  for (const [, name = ''] of source.matchAll(
    /^(?!import type)(?:import|export)\b[^;'"]*?from '([^']+)'/gm,
  )) {
    if (name.startsWith('.')) importsOf(new URL(name, entry), seen)
    else seen.add(name)
  }
  return seen
}

const bareOf = (entry: string) =>
  [...importsOf(new URL(`../src/${entry}.ts`, import.meta.url))].filter(
    (name) => !name.startsWith('file:'),
  )

test('SP-1 SP-90: no entry needs Node, zod is behind /catalog only', () => {
  const bare = ['index', 'http', 'interop', 'llm', 'html', 'testing'].flatMap(bareOf)
  expect(bare.filter((name) => name !== '@x/wire')).toEqual([])
  expect(bareOf('catalog').filter((name) => name !== '@x/wire')).toEqual(['zod'])
})

const json: fc.Arbitrary<JsonObject> = fc.letrec<{ value: JsonObject[string]; object: JsonObject }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.boolean(),
      tie('object'),
    ),
    object: fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('__proto__', '1', '', 'a/b', 'constructor')),
      tie('value'),
      { maxKeys: 4 },
    ),
  }),
).object

describe('round trips', () => {
  test('SP-28 SP-31 SP-68: an object and its entries, also through the store', () => {
    fc.assert(
      fc.property(json, (object) => {
        const entries = formatEntries(object)
        expect(JSON.stringify(parseEntries(entries))).toBe(JSON.stringify(object))
        const store = createSurfaceStore()
        expect(
          store.apply({ dataModelUpdate: { surfaceId: 's', contents: entries } }).applied,
        ).toBe(true)
        expect(JSON.stringify(store.getData('s'))).toBe(JSON.stringify(object))
        expect(store.snapshot('s')).toEqual([
          { dataModelUpdate: { surfaceId: 's', contents: entries } },
        ])
      }),
      { numRuns: 200 },
    )
  })

  test('SP-46 SP-47 SP-57: a message, its line in any pieces, and the message again', () => {
    fc.assert(
      fc.property(json, fc.string(), fc.array(fc.nat(400)), (object, id, cuts) => {
        const message: ServerMessage = {
          dataModelUpdate: { surfaceId: `s${id}`, contents: formatEntries(object) },
        }
        const bytes = new TextEncoder().encode(`${formatMessage(message)}\n`)
        const parser = createJsonLinesParser()
        const lines: unknown[] = []
        let from = 0
        for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
          lines.push(...parser.push(bytes.subarray(from, Math.max(from, cut))))
          from = Math.max(from, cut)
        }
        expect(lines).toEqual([{ line: 1, offset: 0, value: message }])
        expect(validateMessage(message)).toEqual({ message, diagnostics: [] })
        expect(serverMessageSchema.safeParse(message).success).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('SP-30: segments and their path', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), (segments) => {
        expect(parseDataPath(formatDataPath(segments)).segments).toEqual(segments)
      }),
    )
  })
})

describe('status of a surface', () => {
  const defined = {
    surfaceUpdate: { surfaceId: 's', components: [{ id: 'r', component: { Divider: {} } }] },
  }
  const other = {
    surfaceUpdate: { surfaceId: 's', components: [{ id: 'q', component: { Divider: {} } }] },
  }
  const data = { dataModelUpdate: { surfaceId: 's', contents: [] } }
  const begin = { beginRendering: { surfaceId: 's', root: 'r' } }
  const away = { beginRendering: { surfaceId: 's', root: 'none' } }
  const gone = { deleteSurface: { surfaceId: 's' } }
  const table: [before: object[], message: object, status: string | undefined, events: string][] = [
    [[], defined, 'created', 'created'],
    [[], data, 'created', 'created'],
    [[], begin, 'pending', 'created'],
    [[], gone, undefined, ''],
    [[defined], begin, 'rendered', 'rendered'],
    [[other], begin, 'pending', ''],
    [[other, begin], defined, 'rendered', 'rendered'],
    [[begin], other, 'pending', ''],
    [[begin], data, 'pending', ''],
    [[defined, begin], data, 'rendered', 'changed'],
    [[defined, begin], other, 'rendered', 'changed'],
    [[defined, begin], begin, 'rendered', 'changed'],
    [[defined, begin], away, 'pending', 'changed'],
    [[defined, begin, away], begin, 'rendered', 'changed'],
    [[defined], gone, undefined, 'deleted'],
    [[begin], gone, undefined, 'deleted'],
    [[defined, begin], gone, undefined, 'deleted'],
  ]
  for (const [before, message, status, events] of table) {
    const name = [...before, message].map((one) => JSON.stringify(one).slice(2, 40)).join(' ')
    test(`SP-21 SP-22: ${name}`, () => {
      const store = createSurfaceStore()
      store.applyAll(before)
      const heard: string[] = []
      for (const event of ['created', 'rendered', 'changed', 'deleted'] as const) {
        store.on(`surface.${event}`, () => heard.push(event))
      }
      const revision = store.get('s')?.revision ?? 0
      store.apply(message)
      expect(heard.join(' ')).toBe(events)
      expect(store.get('s')?.status).toBe(status)
      expect(store.get('s')?.revision).toBe(status === undefined ? undefined : revision + 1)
      expect(store.tree('s') !== null).toBe(status === 'rendered')
    })
  }
})

describe('building', () => {
  const catalog = defineCatalog({
    catalogId: 'urn:shop',
    components: { Frame: z.looseObject({}) },
  })
  const loose = createUi(parseCatalog({ catalogId: 'urn:loose', components: { Frame: {} } }))
  const text = ui.Text({ text: 'x' })

  test('SP-65: where a catalog says nothing, nodes and bindings are found in the value', () => {
    const { components } = buildComponents(
      loose.Frame?.({
        children: [text, ref('there')],
        slots: [{ child: text, title: bind('/t') }],
        rows: each('/rows', text),
        plain: ['a', 1, null],
      }) ?? text,
    )
    expect(components[0]?.component.Frame).toEqual({
      children: { explicitList: ['root.0', 'there'] },
      slots: [{ child: 'root.slots.0.child', title: { path: '/t' } }],
      rows: { template: { componentId: 'root.rows.template', dataBinding: '/rows' } },
      plain: ['a', 1, null],
    })
    expect(components.map(({ id }) => id)).toEqual([
      'root',
      'root.0',
      'root.slots.0.child',
      'root.rows.template',
    ])
  })

  test('SP-65: nodes are immutable, wrong properties fail when they are built', () => {
    const other = text.id('a').weight(2).set({ usageHint: 'h1' })
    expect(buildComponents(text).components).toEqual([
      { id: 'root', component: { Text: { text: { literalString: 'x' } } } },
    ])
    expect(buildComponents(other).components).toEqual([
      {
        id: 'a',
        component: { Text: { text: { literalString: 'x' }, usageHint: 'h1' } },
        weight: 2,
      },
    ])
    expect(() => buildComponents(text.set({ nope: 1 }))).toThrow(
      expect.objectContaining({ code: 'invalid_property', componentId: 'root' }),
    )
    expect(() => buildComponents({} as never)).toThrow(TypeError)
    const action = (given: Parameters<typeof ui.Button>[0]['action']) =>
      buildComponents(ui.Button({ child: ref('t'), action: given })).components[0]?.component.Button
    expect(action('go')).toEqual({ child: 't', action: { name: 'go' } })
    expect(action({ name: 'go', context: { a: 1, b: bind('/b') } })).toEqual({
      child: 't',
      action: {
        name: 'go',
        context: [
          { key: 'a', value: { literalNumber: 1 } },
          { key: 'b', value: { path: '/b' } },
        ],
      },
    })
    const slots = ui.MultipleChoice({ selections: ['a'], options: [{ label: 'l', value: 'v' }] })
    expect(buildComponents(slots).components[0]?.component.MultipleChoice).toEqual({
      selections: { literalArray: ['a'] },
      options: [{ label: { literalString: 'l' }, value: 'v' }],
    })
  })

  test('SP-3 SP-66: nesting has a limit, twice the same id has an error', () => {
    let deep = text
    for (let n = 0; n < defaultLimits.treeDepth; n += 1) deep = ui.Card({ child: deep })
    expect(() => buildComponents(deep)).toThrow(expect.objectContaining({ limit: 'treeDepth' }))
    const twice = ui.Row({ children: [text.id('a'), text.id('a')] })
    expect(() => buildComponents(twice)).toThrow(
      expect.objectContaining({ code: 'duplicate_id', componentId: 'a' }),
    )
  })

  test('SP-67: catalog, styles, data; a root is needed', () => {
    expect(() => createSurfaceBuilder('s').toMessages()).toThrow(
      expect.objectContaining({ code: 'missing_root', surfaceId: 's' }),
    )
    const frame = createUi(catalog).Frame({})
    const state = createSurfaceBuilder('s').styles({ dense: true }).root(frame).toState()
    expect(state).toMatchObject({
      catalogId: 'urn:shop',
      styles: { dense: true },
      status: 'rendered',
    })
    const kinds = createSurfaceBuilder('s')
      .data({ a: 1 })
      .catalog('urn:other')
      .root(frame)
      .toMessages()
    expect(kinds.map((message) => Object.keys(message)[0])).toEqual([
      'surfaceUpdate',
      'dataModelUpdate',
      'beginRendering',
    ])
    expect(kinds[2]).toMatchObject({ beginRendering: { catalogId: 'urn:other' } })
  })

  test('SP-69: nesting is at most five levels, literals move into the data', () => {
    const deep = { a: { b: { c: { d: { e: { f: { g: { h: 1 } } } } } } } }
    const messages = createSurfaceBuilder('s')
      .data(deep)
      .root(ui.Text({ text: bind('/title', 'hello') }))
      .toMessages({ selfContained: true })
    const levels = (entries: readonly object[]): number =>
      Math.max(
        0,
        ...entries.map((one) => ('valueMap' in one ? 1 + levels(one.valueMap as object[]) : 0)),
      )
    const nested = messages.map((message) =>
      'dataModelUpdate' in message ? levels(message.dataModelUpdate.contents) : 0,
    )
    expect(Math.max(...nested)).toBe(5)
    expect(JSON.stringify(messages)).toContain('{"Text":{"text":{"path":"/title"}}}')
    const store = createSurfaceStore()
    store.applyAll(messages)
    expect(store.getData('s')).toEqual({ ...deep, title: 'hello' })
  })

  test('SP-69: an update of data carries all entries of its location', () => {
    const store = createSurfaceStore()
    store.apply({
      dataModelUpdate: { surfaceId: 's', contents: formatEntries({ m: { a: 1, b: 2 } }) },
    })
    const contents = formatEntries({ a: 3 })
    expect(
      toSelfContained([{ dataModelUpdate: { surfaceId: 's', path: '/m', contents } }], { store }),
    ).toEqual([
      { dataModelUpdate: { surfaceId: 's', path: '/m', contents: formatEntries({ a: 3, b: 2 }) } },
    ])
  })

  test('SP-73: a wrong description sends nothing', async () => {
    const sent: AnyServerMessage[] = []
    const writer = createSurfaceWriter({
      send: (message) => void sent.push(message),
      catalogs: [catalog],
    })
    await expect(writer.render('s', { root: text })).rejects.toMatchObject({
      code: 'invalid_component_type',
    })
    await expect(writer.update('s', '/~2', { a: 1 })).rejects.toMatchObject({
      code: 'invalid_path',
    })
    expect(sent).toEqual([])
    await writer.render('s', { root: createUi(catalog).Frame({}) })
    await writer.update('s', '/m', { a: 1 })
    await writer.delete('s')
    expect(sent.map((message) => Object.keys(message)[0])).toEqual([
      'surfaceUpdate',
      'beginRendering',
      'dataModelUpdate',
      'deleteSurface',
    ])
  })
})

describe('what a writer sends', () => {
  const kindsOf = (messages: readonly AnyServerMessage[]) =>
    messages.map((message) => Object.keys(message).join())

  test('SP-73: nothing, when a later message would be refused', async () => {
    const sent: AnyServerMessage[] = []
    const [one, two] = ['One', 'Two'].map((type) =>
      parseCatalog({
        catalogId: `urn:${type}`,
        components: { [type]: { type: 'object', additionalProperties: false } },
      }),
    )
    if (one === undefined || two === undefined) throw new Error('two catalogs')
    const send = (message: ServerMessage) => void sent.push(message)
    const writer = createSurfaceWriter({ send, catalogs: [one, two] })
    const root = createUi(one).One?.({}) ?? ui.Divider({})
    const styles = { primaryColor: 'red' }
    await expect(
      createSurfaceWriter({ send }).render('s', { root: ui.Divider({}), styles }),
    ).rejects.toMatchObject({ code: 'invalid_style' })
    expect(sent).toEqual([])
    await writer.render('s', { root, data: { a: 1 } })
    expect(kindsOf(sent.splice(0))).toEqual(['surfaceUpdate', 'dataModelUpdate', 'beginRendering'])
    // The components that are shown are none of the second catalog.
    await expect(writer.render('s', { root, data: { a: 2 }, catalog: two })).rejects.toMatchObject({
      code: 'invalid_component_type',
    })
    expect(sent).toEqual([])
    expect(writer.store.getData('s')).toEqual({ a: 1 })
  })

  test('SP-73: a surface that was deleted after a failure is new, and is not deleted again', async () => {
    const sent: AnyServerMessage[] = []
    let failing = true
    const writer = createSurfaceWriter({
      send(message) {
        if (failing) throw new Error('offline')
        sent.push(message)
      },
    })
    await expect(writer.render('s', { root: ui.Divider({}) })).rejects.toThrow('offline')
    failing = false
    await writer.delete('s')
    await writer.render('s', { root: ui.Divider({}) })
    expect(kindsOf(sent)).toEqual(['deleteSurface', 'surfaceUpdate', 'beginRendering'])
  })
})

test('SP-72 SP-88: a snapshot of data that paths made deep fits the limits of an equal store', () => {
  const limits = { dataDepth: 2 }
  const store = createSurfaceStore({ limits })
  store.apply({
    dataModelUpdate: { surfaceId: 's', path: '/a/b/c/d', contents: formatEntries({ z: 1, e: {} }) },
  })
  const copy = createSurfaceStore({ limits })
  expect(copy.applyAll(store.snapshot('s')).every(({ applied }) => applied)).toBe(true)
  expect(copy.getData('s')).toEqual({ a: { b: { c: { d: { z: 1, e: {} } } } } })
  const fits = {
    dataModelUpdate: { surfaceId: 't', contents: formatEntries({ a: { b: { c: 1 } } }) },
  }
  expect(store.apply(fits).applied).toBe(true)
  expect(store.snapshot('t')).toEqual([fits])
})

test('SP-88: wrong limits are refused at creation', () => {
  for (const limits of [
    { surfaces: 0 },
    { surfaces: -1 },
    { surfaces: 1.5 },
    { surfaces: Number.NaN },
    { nope: 1 },
  ]) {
    expect(() => createSurfaceStore({ limits })).toThrow(TypeError)
    expect(() => createJsonLinesParser({ limits })).toThrow(TypeError)
    expect(() => validateMessage({}, { limits })).toThrow(TypeError)
  }
})
