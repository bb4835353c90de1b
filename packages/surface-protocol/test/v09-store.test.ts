import { describe, expect, test } from 'vitest'
import {
  basicCatalogV09,
  createSurfaceStore,
  validateMessage,
  validateMessages,
  type JsonObject,
} from '@x/surface-protocol'
import { pruneCatalog } from '@x/surface-protocol/catalog'
import {
  version,
  catalogId,
  say,
  create,
  define,
  write,
  text,
  begun,
  codesOf,
} from './v09-messages.ts'

describe('versions and messages', () => {
  test('SN-1 SN-2: names of versions; 1.0 is named elsewhere', () => {
    expect(createSurfaceStore({ version: '0.9' }).version).toBe('0.9')
    expect(createSurfaceStore().version).toBe('0.8')
    expect(() => createSurfaceStore({ version: '1.0' as '0.9' })).toThrow(
      'Version 1.0 is experimental: import { v1 } from "@x/surface-protocol/v1".',
    )
    for (const wrong of ['1', '', 'v0.9', null]) {
      expect(() => createSurfaceStore({ version: wrong as '0.9' })).toThrow(TypeError)
    }
  })

  test('SN-3 SN-4: every message says a version of the family', () => {
    const payload = { createSurface: { surfaceId: 'a', catalogId } }
    expect(codesOf({ version: 'v0.9', ...payload })).toEqual([])
    expect(codesOf(payload)).toEqual(['missing_version /version'])
    expect(codesOf({ version: 9, ...payload })).toEqual(['invalid_type /version'])
    for (const one of ['v0.8', 'v1.0', 'v9', '0.9.1']) {
      expect(codesOf({ version: one, ...payload })).toEqual(['unsupported_version /version'])
    }
    expect(codesOf(say({ beginRendering: {} }))).toEqual(['unsupported_version /beginRendering'])
    expect(codesOf(say({ callRendererFunction: {} }))).toEqual([
      'unsupported_version /callRendererFunction',
    ])
    expect(codesOf(say({}))).toEqual(['malformed_message '])
    expect(codesOf(say({ ...payload, deleteSurface: { surfaceId: 'a' } }))).toEqual([
      'malformed_message ',
    ])
  })

  test('SN-5: a list and a wrapper; each message fails alone', () => {
    const store = createSurfaceStore({ version })
    const results = store.applyAll({ messages: [create(), say({}), write('/a', 1)] })
    expect(results.map(({ applied }) => applied)).toEqual([true, false, true])
    expect(store.getData('s', '/a')).toBe(1)
  })

  test('SN-6 SN-7 SN-20: flat components, closed objects, places', () => {
    expect(codesOf(define(text('', 'x')))).toEqual([
      'invalid_value /updateComponents/components/0/id',
    ])
    expect(codesOf(define({ id: 'a' }))).toEqual([
      'missing_field /updateComponents/components/0/component',
    ])
    expect(codesOf(define(text('i'.repeat(513), 'x')))).toEqual([
      'limit_exceeded /updateComponents/components/0/id',
    ])
    expect(codesOf(say({ createSurface: { surfaceId: 'a', catalogId, more: 1 } }))).toEqual([
      'unknown_key /createSurface/more',
    ])
    expect(
      codesOf(define(text('a', 5), { id: 'b', component: 'Column', children: ['c', 5] })),
    ).toEqual([
      'invalid_property_value /updateComponents/components/0/text',
      'invalid_property_value /updateComponents/components/1/children/1',
    ])
    expect(codesOf(define({ id: 'a', component: 'Txt' }))).toEqual([
      'invalid_component_type /updateComponents/components/0',
    ])
    expect(
      codesOf(define({ ...text('a', 'x'), weight: 1, accessibility: { label: { path: 'l' } } })),
    ).toEqual([])
    expect(codesOf(define({ ...text('a', 'x'), colour: 1 }))).toEqual([
      'invalid_property /updateComponents/components/0/colour',
    ])
  })

  test('SN-9 SN-10 SN-11: lifecycle', () => {
    const store = createSurfaceStore({ version })
    const events: string[] = []
    for (const name of [
      'surface.created',
      'surface.rendered',
      'surface.changed',
      'surface.deleted',
    ] as const) {
      store.on(name, () => void events.push(name.slice(8)))
    }
    expect(codesOf(write('/cart', {}), store)).toEqual([
      'surface_not_found /updateDataModel/surfaceId',
    ])
    expect(codesOf(define(text('root', 'x')), store)).toEqual([
      'surface_not_found /updateComponents/surfaceId',
    ])
    expect(codesOf(create(), store)).toEqual([])
    expect(codesOf(create(), store)).toEqual(['surface_exists /createSurface/surfaceId'])
    expect(store.get('s')?.status).toBe('pending')
    store.apply(write('/a', 1))
    store.apply(define(text('root', { path: '/a' })))
    store.apply(define(text('root', 'x')))
    expect(store.get('s')).toMatchObject({
      status: 'rendered',
      revision: 4,
      version,
      data: { a: 1 },
    })
    const end = say({ deleteSurface: { surfaceId: 's' } })
    expect([codesOf(end, store), codesOf(end, store)]).toEqual([[], []])
    expect(events).toEqual(['created', 'rendered', 'changed', 'deleted'])
    expect(codesOf(create('s', { catalogId: 'urn:x' }), store)).toEqual([
      'unknown_catalog /createSurface/catalogId',
    ])
    const alias = catalogId.replace('v0_9', 'v0_9_1')
    expect(codesOf(create('s', { catalogId: alias }), store)).toEqual([])
  })

  test('SN-12 SN-13: replacement, duplicates, loops; a refused message leaves no trace', () => {
    const store = begun(define(text('root', 'x')))
    const before = store.get('s')
    expect(codesOf(define(text('a', 'x'), text('a', 'y')), store)).toEqual([
      'duplicate_id /updateComponents/components/1/id',
    ])
    expect(
      codesOf(
        define(
          { id: 'root', component: 'Card', child: 'b' },
          { id: 'b', component: 'Card', child: 'root' },
        ),
        store,
      ),
    ).toEqual(['circular_reference /updateComponents/components/1/child'])
    expect(store.get('s')).toEqual(before)
    store.apply(define({ id: 'root', component: 'Card', child: 'later' }))
    expect(store.get('s')).toMatchObject({ missing: ['later'] })
    const tolerant = createSurfaceStore({ version, mode: 'tolerant' })
    tolerant.apply(create())
    tolerant.apply(define(text('a', 'x'), text('a', 'y')))
    expect(tolerant.get('s')?.components).toEqual([text('a', 'y')])
  })

  test('SN-16 SN-17 SN-18: messages on their own, and lists', () => {
    const catalogs = [pruneCatalog(basicCatalogV09, { components: ['Card'] }), basicCatalogV09]
    const check = (message: unknown) => validateMessage(message, { version, catalogs }).diagnostics
    expect(check(define(text('a', 'x')))).toEqual([])
    expect(check(define(text('a', 5)))[0]?.code).toBe('invalid_component_type')
    expect(check(create('s', { theme: { primaryColor: 'blue' } }))).toMatchObject([
      { code: 'invalid_theme', path: '/createSurface/theme/primaryColor' },
    ])
    expect(check(create('s', { catalogId: 'urn:x' }))[0]?.code).toBe('unknown_catalog')
    expect(validateMessage(define(text('a', 5)), { version }).message).toEqual(define(text('a', 5)))
    const whole = (...messages: object[]) =>
      validateMessages(messages, { version, complete: true }).map(({ code, index }) => [
        code,
        index,
      ])
    expect(whole(create(), define(text('a', 'x')))).toEqual([
      ['missing_root', undefined],
      ['unreachable_component', undefined],
    ])
    expect(whole(define(text('a', 'x')))).toEqual([])
    expect(whole(create(), create())[0]).toEqual(['surface_exists', 1])
  })

  test('SN-19: tolerant mode', () => {
    const store = createSurfaceStore({ version, mode: 'tolerant' })
    store.apply(create('s', { theme: { primaryColor: 1 } }))
    const call = { call: 'shout', args: {} }
    const components = [
      { id: 'root', component: 'Nope', child: 'a' },
      { id: 'a', component: 'Text', text: call, more: 1 },
      { id: 'b', component: 'Text', text: { call: 'formatNumber', args: { x: 1 } } },
    ]
    const { applied, diagnostics } = store.apply(define(...components))
    expect(applied).toBe(true)
    expect(new Set(diagnostics.map(({ severity }) => severity))).toEqual(new Set(['warning']))
    expect(codesOf(define({ id: 'c', component: 'Card', child: 5 }), store)).toHaveLength(1)
  })
})

describe('data', () => {
  test('SN-21 to SN-25: the examples of section 21', () => {
    const store = begun(write('/', { rows: [{ n: 1 }, { n: 2 }] }), write('/rows/1/n', 5))
    expect(store.getData('s', '/rows')).toEqual([{ n: 1 }, { n: 5 }])
    store.apply(write('/rows/3', {}))
    expect(store.getData('s', '/rows')).toEqual([{ n: 1 }, { n: 5 }, null, {}])
    expect(codesOf(write('/rows/x', 1), store)).toEqual(['path_conflict /updateDataModel/path'])
    expect(codesOf(write('/rows/0/n/deep', 1), store)).toEqual([
      'path_conflict /updateDataModel/path',
    ])
    store.apply(write('/rows/0'))
    expect(store.getData('s', '/rows')).toEqual([null, { n: 5 }, null, {}])
    store.apply(write('/a', null))
    expect(store.getData('s', '/a')).toBeNull()
    store.apply(write('/a'))
    store.apply(write('/not/there'))
    expect(store.getData('s')).toEqual({ rows: [null, { n: 5 }, null, {}] })
    store.apply(write('/'))
    expect(store.getData('s')).toEqual({})
    expect(codesOf(write('/', [1]), store)).toEqual(['invalid_value /updateDataModel/value'])
    for (const path of ['a', 'invalid path [0]', '/a~2']) {
      expect(codesOf(write(path, 1), store)[0]).toMatch(/^invalid_path/)
    }
    expect(codesOf(write('/list/10000', 1), store)[0]).toMatch(/^limit_exceeded/)
    store.apply(write('/deep/0/x', 1))
    expect(store.getData('s', '/deep')).toEqual([{ x: 1 }])
    store.apply(write('/__proto__/x', 1))
    expect([store.getData('s', '/__proto__/x'), Object.keys(Object.prototype)]).toEqual([1, []])
  })

  test('SN-26: watchers; a refused write is undone whole', () => {
    const store = begun(write('/', { foo: 1, list: ['a'] }))
    const seen: unknown[] = []
    store.watchData('s', '/list', (value) => seen.push(value))
    store.apply(write('/foobar', 2))
    store.apply(write('/list/0', 'a'))
    store.apply(write('/list/2', 'c'))
    expect(seen).toEqual([['a', null, 'c']])
    const small = createSurfaceStore({ version, limits: { dataEntries: 3 } })
    small.apply(create())
    small.apply(write('/list', ['a']))
    expect(small.apply(write('/list/3', 'd')).applied).toBe(false)
    expect(small.getData('s')).toEqual({ list: ['a'] })
    expect(
      codesOf(
        write(
          '/a',
          Array(40)
            .fill(0)
            .reduce((inner: unknown) => [inner], 1),
        ),
        small,
      )[0],
    ).toMatch('limit_exceeded')
  })

  test('SN-27 SX-17: templates follow added and removed items of arrays, and do not iterate objects', () => {
    const store = begun(
      write('/', { teams: [{ name: 'Red' }, { name: 'Blue' }] }),
      define(
        { id: 'root', component: 'List', children: { componentId: 'row', path: '/teams' } },
        text('row', { call: 'formatString', args: { value: '${name}/${/who}' } }),
      ),
    )
    const shown = () =>
      ((store.tree('s')?.properties.children ?? []) as { properties: object; id: string }[]).map(
        ({ id, properties }) => [id, properties],
      )
    expect(shown()).toEqual([
      ['row:0', { text: 'Red/' }],
      ['row:1', { text: 'Blue/' }],
    ])
    const { change } = store.apply(write('/who', 'Ida'))
    expect(change?.nodeIds).toEqual(['row:0', 'row:1'])
    store.apply(write('/teams/2/name', 'Green'))
    expect(shown()).toHaveLength(3)
    store.apply(write('/teams', {}))
    expect(shown()).toEqual([])
    expect(store.get('s')?.diagnostics).toEqual([])
    store.apply(write('/teams/red/name', 'Red'))
    expect(shown()).toEqual([])
    expect(store.get('s')?.diagnostics).toMatchObject([
      {
        code: 'not_iterable',
        severity: 'warning',
        componentId: 'root',
        message: 'A template iterates an array; /teams is an object.',
      },
    ])
    store.apply(write('/teams', [{ name: 'One' }]))
    store.apply(write('/teams/1/name', 'Two'))
    expect(shown().map(([id]) => id)).toEqual(['row:0', 'row:1'])
  })

  test('SN-30: values in the form of their slots', () => {
    const store = begun(
      write('/', { n: 5, t: 'x', o: { a: [1] }, l: [1, 'b'], yes: 'true' }),
      define(
        { id: 'root', component: 'Column', children: ['a', 'b', 'c', 'd', 'e'] },
        text('a', { path: '/n' }),
        text('b', { path: '/o' }),
        text('c', { path: '/none' }),
        { id: 'd', component: 'Slider', value: { path: '/t' }, max: 10 },
        { id: 'e', component: 'ChoicePicker', options: [], value: { path: '/l' } },
      ),
    )
    const tree = store.tree('s')?.properties.children as { properties: JsonObject }[]
    expect(tree.map(({ properties }) => properties.text ?? properties.value)).toEqual([
      '5',
      '{"a":[1]}',
      '',
      null,
      ['1', 'b'],
    ])
    expect(store.get('s')?.diagnostics).toMatchObject([{ code: 'binding_type', componentId: 'd' }])
  })
})
