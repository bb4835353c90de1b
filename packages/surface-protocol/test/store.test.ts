import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  minimalCatalogV08,
  MINIMAL_CATALOG_ID,
  type JsonValue,
} from '@x/surface-protocol'
import { column, each, text } from './components.ts'

const update = (surfaceId: string, ...components: object[]) => ({
  surfaceUpdate: { surfaceId, components },
})
const begin = (root: string, more: object = {}) => ({
  beginRendering: { surfaceId: 's', root, ...more },
})
const data = (contents: object[], path?: string) => ({
  dataModelUpdate: { surfaceId: 's', contents, ...(path === undefined ? {} : { path }) },
})

describe('lifecycle', () => {
  test('SP-20: a refused message changes nothing and tells only of the refusal', () => {
    const store = createSurfaceStore()
    const heard: string[] = []
    for (const type of ['surface.created', 'surface.changed', 'message.refused'] as const)
      store.on(type, () => heard.push(type))
    store.apply(data([{ key: 'a', valueNumber: 1 }]))
    store.apply(data([{ key: 'a', valueNumber: 2 }, { key: 'b' }]))
    expect(store.get('s')).toMatchObject({ revision: 1, data: { a: 1 } })
    expect(heard).toEqual(['surface.created', 'message.refused'])
    const refused = [
      { deleteSurface: { surfaceId: 's', other: 1 } },
      data([{ key: 'a', valueNumber: 2 }], 'new/~2'),
      data(
        [
          { key: 'new', valueMap: [] },
          { key: 'b', valueNumber: 2 },
        ],
        'list',
      ),
    ]
    store.setData('s', '/list', [1])
    const before = store.get('s')
    for (const message of refused) expect(store.apply(message).applied).toBe(false)
    expect(store.get('s')).toEqual(before)
  })

  test('SP-20 SP-88: data written before a limit is passed is taken back', () => {
    const store = createSurfaceStore({ limits: { dataEntries: 4 } })
    store.apply(data([{ key: 'a', valueMap: [{ key: 'n', valueNumber: 1 }] }]))
    const more = ['n', 'x', 'y', 'z'].map((key) => ({ key, valueNumber: 2 }))
    for (const path of ['a', 'a/n', 'new/place', undefined]) {
      const contents = path === undefined ? [...more, { key: '5', valueMap: [] }] : more
      expect(store.apply(data(contents, path)).diagnostics).toContainEqual(
        expect.objectContaining({ code: 'limit_exceeded', limit: 'dataEntries' }),
      )
      expect(store.get('s')).toMatchObject({ revision: 1, data: { a: { n: 1 } } })
      expect(store.getData('s')).toEqual({ a: { n: 1 } })
    }
    expect(store.apply(data(more.slice(0, 3), 'a')).applied).toBe(true)
  })

  test('SP-21: beginning before the root', () => {
    const store = createSurfaceStore()
    expect(store.apply(begin('r')).diagnostics).toMatchObject([
      { code: 'begin_before_root', severity: 'warning' },
    ])
    expect(store.get('s')).toMatchObject({ status: 'pending', missing: ['r'] })
    expect(store.tree('s')).toBeNull()
    store.apply(update('s', text('r', { literalString: 'x' })))
    expect(store.get('s')?.status).toBe('rendered')
    store.apply(begin('r', { styles: { font: 'x' } }))
    expect(store.get('s')?.styles).toEqual({ font: 'x' })
    store.apply(begin('r'))
    expect(store.get('s')?.styles).toEqual({})
    store.apply(update('s', text('other', { literalString: 'y' })))
    expect(store.tree('s')?.id).toBe('r')
    expect(store.apply(begin('other')).change?.nodeIds).toEqual(['other'])
    expect(store.tree('s')?.id).toBe('other')
    expect(store.apply(begin('none')).change?.status).toBe('pending')
    expect(store.tree('s')).toBeNull()
  })

  test('SP-21 SP-22: watchers end with their surface', () => {
    const store = createSurfaceStore({ limits: { watchers: 2 } })
    const heard: string[] = []
    const live = [update('s', text('r', { path: 'a' })), begin('r')]
    store.applyAll(live)
    store.watchNode('s', 'r', () => heard.push('node'))
    store.watchData('s', 'a', () => heard.push('data'))
    store.apply({ deleteSurface: { surfaceId: 's' } })
    store.applyAll(live)
    store.setData('s', '/a', 1)
    expect(heard).toEqual([])
    store.watchData('s', 'a', () => heard.push('later'))
    store.setData('s', '/a', 2)
    expect(heard).toEqual(['later'])
  })

  test('SP-22: deletion is idempotent and a new life starts from nothing', () => {
    const store = createSurfaceStore()
    let rendered = 0
    store.on('surface.rendered', () => (rendered += 1))
    expect(store.apply({ deleteSurface: { surfaceId: 's' } })).toMatchObject({
      applied: true,
      change: null,
      diagnostics: [],
    })
    store.applyAll([
      update('s', text('r', { path: 'a' })),
      begin('r'),
      data([{ key: 'a', valueString: 'x' }]),
    ])
    expect(store.apply({ deleteSurface: { surfaceId: 's' } }).change?.status).toBe('deleted')
    expect(store.get('s')).toBeNull()
    expect(store.apply(data([])).change).toMatchObject({ revision: 1, status: 'created' })
    expect(rendered).toBe(1)
  })

  test('SP-23: a component is replaced as a whole', () => {
    const store = createSurfaceStore()
    store.apply(
      update('s', {
        id: 'a',
        component: { Text: { text: { literalString: 'x' }, usageHint: 'h1' } },
      }),
    )
    const twice = store.apply(
      update('s', text('a', { literalString: '1' }), text('a', { literalString: '2' })),
    )
    expect(twice.diagnostics).toMatchObject([{ code: 'duplicate_id', severity: 'warning' }])
    expect(store.get('s')?.components).toEqual([text('a', { literalString: '2' })])
  })

  test('SP-18 SP-24: catalogs of a surface', () => {
    const store = createSurfaceStore({
      catalogs: [minimalCatalogV08],
      catalogAliases: { 'urn:small': MINIMAL_CATALOG_ID },
    })
    store.apply(update('s', text('r', { literalString: 'x' })))
    expect(store.apply(begin('r')).diagnostics).toMatchObject([{ code: 'unknown_catalog' }])
    expect(store.apply(begin('r', { catalogId: 'urn:small' })).applied).toBe(true)
    expect(store.apply(update('s', { id: 'd', component: { Divider: {} } })).applied).toBe(false)
  })

  test('SP-24: stored components are checked when the catalog is named', async () => {
    const { standardCatalogV08 } = await import('@x/surface-protocol')
    const store = createSurfaceStore({ catalogs: [minimalCatalogV08, standardCatalogV08] })
    store.apply(update('s', { id: 'd', component: { Divider: {} } }))
    expect(store.apply(begin('d', { catalogId: MINIMAL_CATALOG_ID })).diagnostics).toMatchObject([
      { code: 'invalid_component_type', componentId: 'd', path: '/beginRendering/catalogId' },
    ])
    expect(store.apply(begin('d')).applied).toBe(true)
    const small = { surfaceId: 't', root: 'r', catalogId: MINIMAL_CATALOG_ID }
    expect(store.apply({ beginRendering: small }).applied).toBe(true)
    const divider = update('t', { id: 'd', component: { Divider: {} } })
    expect(store.apply(divider).diagnostics).toMatchObject([{ code: 'invalid_component_type' }])
  })

  test('SP-25: a loop over many messages and a template', () => {
    const store = createSurfaceStore()
    for (let n = 0; n < 100; n += 1) store.apply(update('s', column(`c${n}`, `c${n + 1}`)))
    const closing = store.apply(update('s', each('c100', 'c0', '/x')))
    expect(closing.diagnostics[0]).toMatchObject({
      code: 'circular_reference',
      path: '/surfaceUpdate/components/0/component/List/children/template/componentId',
    })
    expect(closing.diagnostics[0]?.related).toHaveLength(101)
  })
})

describe('data', () => {
  test('SP-28 SP-29: replacement keeps the place, paths make maps, scalars give way', () => {
    const store = createSurfaceStore()
    const twice = store.apply(
      data([
        { key: 'b', valueNumber: 1 },
        { key: '1', valueNumber: 2 },
        { key: 'b', valueNumber: 3 },
      ]),
    )
    expect(twice.diagnostics).toMatchObject([
      { code: 'duplicate_key', path: '/dataModelUpdate/contents/2/key' },
    ])
    expect(store.snapshot('s')).toMatchObject([
      { dataModelUpdate: { contents: [{ key: 'b', valueNumber: 3 }, { key: '1' }] } },
    ])
    expect(store.apply(data([{ key: 'x', valueBoolean: true }], '/b/c')).diagnostics).toMatchObject(
      [{ code: 'path_overwritten' }],
    )
    expect(store.getData('s')).toEqual({ b: { c: { x: true } }, 1: 2 })
    expect(store.apply(data([], 'new/place')).change?.dataPaths).toEqual(['/new/place'])
    expect(store.getData('s', 'new')).toEqual({ place: {} })
    expect(store.apply(data([], 'new/place')).change?.dataPaths).toEqual([])
  })

  test('SP-29: arrays are indexed and never get holes', () => {
    const store = createSurfaceStore()
    store.apply(data([]))
    store.setData('s', '/list', [{ a: 1 }])
    expect(store.apply(data([{ key: 'a', valueNumber: 2 }], '/list/0')).applied).toBe(true)
    expect(store.apply(data([{ key: 'a', valueNumber: 2 }], '/list/5')).diagnostics).toMatchObject([
      { code: 'invalid_path', path: '/dataModelUpdate/path' },
    ])
    expect(store.apply(data([{ key: 'x', valueNumber: 2 }], '/list')).applied).toBe(false)
    expect(store.getData('s')).toEqual({ list: [{ a: 2 }] })
    expect(store.apply(data([{ key: '1', valueNumber: 3 }], '/list')).applied).toBe(true)
    expect(store.apply(data([{ key: 'a', valueNumber: 4 }], '/list/2')).applied).toBe(true)
    expect(store.getData('s')).toEqual({ list: [{ a: 2 }, 3, { a: 4 }] })
    expect(store.apply(data([{ key: '4', valueNumber: 3 }], '/list')).diagnostics).toMatchObject([
      { code: 'invalid_path', path: '/dataModelUpdate/contents/0/key' },
    ])
  })

  test('SP-30: spellings of one location, escapes, characters that mean nothing', () => {
    const store = createSurfaceStore()
    for (const path of ['p', '/p', '/p/', '//p'])
      store.apply(data([{ key: path, valueNumber: 1 }], path))
    expect(Object.keys(store.getData('s', 'p') ?? {})).toHaveLength(4)
    store.apply(data([{ key: 'k', valueNumber: 1 }], '/a.b[0]/~0~1'))
    expect(store.getData('s', '/a.b[0]')).toEqual({ '~/': { k: 1 } })
    expect(store.apply(data([], '/a~2')).diagnostics).toMatchObject([{ code: 'invalid_path' }])
  })

  test('SP-31 SP-32: names of inherited members are ordinary', () => {
    const store = createSurfaceStore()
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    store.apply(update('__proto__', text('constructor', { path: '/__proto__/toString' })))
    store.apply({
      dataModelUpdate: {
        surfaceId: '__proto__',
        path: '__proto__',
        contents: names.map((key) => ({ key, valueString: key })),
      },
    })
    store.apply({ beginRendering: { surfaceId: '__proto__', root: 'constructor' } })
    expect(store.tree('__proto__')?.properties.text).toBe('toString')
    expect(JSON.stringify(store.getData('__proto__'))).toContain(
      '"__proto__":{"__proto__":"__proto__"',
    )
    expect(store.getData('__proto__', 'valueOf')).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('SP-38: local writes', () => {
    const store = createSurfaceStore()
    expect(store.setData('s', '/a', 1).diagnostics).toMatchObject([{ code: 'surface_not_found' }])
    store.applyAll([update('s', text('r', { path: 'a' })), begin('r')])
    expect(store.setData('s', '/a', 'x').change?.nodeIds).toEqual(['r'])
    expect(store.setData('s', '', 5).applied).toBe(false)
    expect(store.setData('s', '/a', new Date() as unknown as JsonValue).applied).toBe(false)
  })
})

describe('tree', () => {
  const show = (slot: object, value: JsonValue) => {
    const store = createSurfaceStore()
    store.applyAll([update('s', { id: 'r', component: slot }), begin('r')])
    store.setData('s', '/v', value)
    return {
      properties: store.tree('s')?.properties,
      warnings: store.get('s')?.diagnostics.map(({ code }) => code),
    }
  }
  const bs = { Text: { text: { path: 'v' } } }

  test('SP-33 SP-34: kinds of slots', () => {
    expect(show(bs, 5).properties).toEqual({ text: '5' })
    expect(show(bs, false).properties).toEqual({ text: 'false' })
    expect(show(bs, '').properties).toEqual({ text: '' })
    expect(show(bs, { a: 1 })).toEqual({ properties: { text: null }, warnings: ['binding_type'] })
    const slider = { Slider: { value: { path: 'v' } } }
    expect(show(slider, 0).properties).toEqual({ value: 0 })
    expect(show(slider, '0').warnings).toEqual(['binding_type'])
    const choice = { MultipleChoice: { selections: { path: 'v' }, options: [] } }
    expect(show(choice, { 1: 'a', 0: 'b' }).properties).toMatchObject({ selections: ['b', 'a'] })
    expect(show(choice, ['x']).properties).toMatchObject({ selections: ['x'] })
    expect(show(choice, ['x', 1]).warnings).toEqual(['binding_type'])
  })

  test('SP-35: nothing, empty, scalar', () => {
    const list = (value: JsonValue) => {
      const store = createSurfaceStore()
      store.applyAll([update('s', each('r', 'i', 'v'), text('i', { path: '.' })), begin('r')])
      store.setData('s', '/v', value)
      const children = store.tree('s')?.properties.children as { id: string; properties: object }[]
      return {
        ids: children.map(({ id, properties }) => [id, properties]),
        warnings: store.get('s')?.diagnostics.map(({ code }) => code),
      }
    }
    expect(list({})).toEqual({ ids: [], warnings: [] })
    expect(list('x')).toEqual({ ids: [], warnings: ['not_iterable'] })
    expect(list(['a', 'b']).ids).toEqual([
      ['i:0', { text: 'a' }],
      ['i:1', { text: 'b' }],
    ])
    expect(list({ 'ä/x': 1 }).ids).toEqual([['i:%C3%A4%2Fx', { text: '1' }]])
  })

  test('SP-36: dotted paths are tried when there is no literal key', () => {
    const store = createSurfaceStore()
    store.applyAll([update('s', text('r', { path: 'user.names[1]' })), begin('r')])
    store.setData('s', '/user', { names: ['a', 'b'] })
    expect(store.tree('s')?.properties.text).toBe('b')
    store.setData('s', '/user.names[1]', 'literal')
    expect(store.tree('s')?.properties.text).toBe('literal')
  })

  test('SP-37: inside a template the literal is the value while nothing is there', () => {
    const store = createSurfaceStore()
    store.applyAll([
      update('s', each('r', 'i', 'v'), text('i', { path: 'n', literalString: 'none' })),
      begin('r'),
    ])
    expect(store.getData('s')).toEqual({})
    store.setData('s', '/v', { a: { n: 'A' }, b: {} })
    expect(JSON.stringify(store.tree('s'))).toMatch(/"text":"A".*"text":"none"/)
  })

  test('SP-40 SP-41: repeated components and undefined ones', () => {
    const store = createSurfaceStore()
    store.applyAll([
      update('s', column('r', 'a', 'b', 'a', 'gone'), column('b', 'a'), text('a', { path: 'x' })),
      begin('r'),
    ])
    expect(store.setData('s', 'x', 'y').change?.nodeIds).toEqual(['a', 'a#2', 'a#3'])
    expect(JSON.stringify(store.tree('s'))).toContain('"pending":true')
    expect(store.apply(update('s', column('b'))).change?.nodeIds).toEqual(['r', 'b'])
  })

  test('SP-42: equal values and equal components change nothing', () => {
    const store = createSurfaceStore()
    store.applyAll([update('s', column('r', 'a'), text('a', { path: 'x' })), begin('r')])
    store.setData('s', 'x', 'y')
    expect(store.setData('s', 'x', 'y').change).toMatchObject({
      nodeIds: [],
      dataPaths: ['/x'],
      revision: 4,
    })
    expect(store.apply(update('s', text('a', { path: 'x' }))).change?.nodeIds).toEqual([])
    expect(store.apply(update('s', text('a', { literalString: 'y' }))).change?.nodeIds).toEqual([])
    expect(store.apply(data([{ key: 'x', valueString: 'z' }])).change).toMatchObject({
      dataPaths: [''],
      nodeIds: [],
    })
    expect(store.apply(update('s', column('r', 'a', 'b'))).change?.nodeIds).toEqual(['r', 'b'])
  })

  test('SP-42: node ids of the first tree are the same whenever they are read', () => {
    const store = createSurfaceStore()
    store.apply(update('s', column('r', 'a'), text('a', { path: 'x' })))
    const begun = store.apply(begin('r'))
    store.apply(update('s', column('r', 'a', 'b')))
    expect(begun.change?.nodeIds).toEqual(['r', 'a'])
  })

  test('SP-43: watchers', () => {
    const failures: unknown[] = []
    const store = createSurfaceStore({ onListenerError: (error) => failures.push(error) })
    store.applyAll([update('s', column('r', 'a'), text('a', { path: '/m/x' })), begin('r')])
    const heard: unknown[] = []
    store.watchNode('s', 'a', () => {
      throw new Error('mine')
    })
    store.watchNode('s', 'a', (node) => heard.push(node?.properties.text))
    const stop = store.watchData('s', '/m', (value) => heard.push(value))
    let queued: unknown
    store.watchData('s', '/m/x', () => {
      queued ??= store.apply(data([{ key: 'x', valueString: 'second' }], 'm'))
      heard.push('last')
    })
    store.apply(data([{ key: 'x', valueString: 'first' }], 'm'))
    expect(heard).toEqual(['first', { x: 'first' }, 'last', 'second', { x: 'second' }, 'last'])
    expect(queued).toMatchObject({ applied: true, change: { nodeIds: ['a'] } })
    expect(failures).toHaveLength(2)
    stop()
    store.apply(data([{ key: 'x', valueString: 'second' }], 'm'))
    store.apply({ deleteSurface: { surfaceId: 's' } })
    expect(heard).toHaveLength(6)
  })

  test('SP-4: returned values are copies, and given values are copied', () => {
    const store = createSurfaceStore()
    const message = update('s', text('r', { literalString: 'x' }))
    store.applyAll([message, begin('r')])
    const [sent] = message.surfaceUpdate.components as { component: { Text?: object } }[]
    if (sent !== undefined) delete sent.component.Text
    const view = store.get('s')
    view?.components.splice(0)
    const tree = store.tree('s')
    if (tree !== null) tree.properties.text = 'changed'
    expect(store.tree('s')?.properties.text).toBe('x')
  })
})

describe('limits', () => {
  const limited = (limits: object) => createSurfaceStore({ limits })
  const refused = (result: { diagnostics: { limit?: string }[] }) => result.diagnostics[0]?.limit

  test('SP-88: each limit refuses and leaves the state as it was', () => {
    const divider = (id: string) => ({ id, component: { Divider: {} } })
    expect(
      refused(limited({ componentsPerMessage: 1 }).apply(update('s', divider('a'), divider('b')))),
    ).toBe('componentsPerMessage')
    const perSurface = limited({ componentsPerSurface: 1 })
    perSurface.apply(update('s', divider('a')))
    expect(refused(perSurface.apply(update('s', divider('b'))))).toBe('componentsPerSurface')
    expect(perSurface.get('s')?.components).toHaveLength(1)
    const deep = [{ key: 'a', valueMap: [{ key: 'b', valueMap: [] }] }]
    expect(refused(limited({ dataDepth: 1 }).apply(data(deep)))).toBe('dataDepth')
    expect(refused(limited({ dataEntries: 1 }).apply(data(deep)))).toBe('dataEntries')
    expect(
      refused(limited({ dataSize: 40 }).apply(data([{ key: 'a', valueString: 'x'.repeat(40) }]))),
    ).toBe('dataSize')
    expect(
      refused(
        limited({ bufferedSize: 40 }).apply(data([{ key: 'a', valueString: 'x'.repeat(40) }])),
      ),
    ).toBe('bufferedSize')
    expect(refused(limited({ pathLength: 2 }).apply(data([], '/abc')))).toBe('pathLength')
    expect(refused(limited({ pathSegments: 2 }).apply(data([], 'a/b/c')))).toBe('pathSegments')
    expect(refused(limited({ idLength: 2 }).apply(update('abc', divider('a'))))).toBe('idLength')
    const surfaces = limited({ surfaces: 1 })
    surfaces.apply(data([]))
    expect(refused(surfaces.apply(update('t', divider('a'))))).toBe('surfaces')
    expect(() => limited({ watchers: 1 }).watchData('s', '', () => undefined)).not.toThrow()
    const watched = limited({ watchers: 1 })
    watched.watchData('s', '', () => undefined)
    expect(() => watched.watchNode('s', 'a', () => undefined)).toThrow(
      expect.objectContaining({ limit: 'watchers' }),
    )
    expect(() => limited({ nope: 1 })).toThrow(TypeError)
  })

  test('SP-45: a tree that is too large is refused before it is built', () => {
    const store = limited({ treeNodes: 100 })
    const wide = (n: number): JsonValue =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, {}]))
    store.applyAll([
      update('s', each('r', 'm', '/v'), each('m', 'i', '/v'), text('i', { path: 'x' })),
      begin('r'),
    ])
    expect(store.setData('s', '/v', wide(50)).change?.nodeIds).toEqual([])
    expect(() => store.tree('s')).toThrow(
      expect.objectContaining({ code: 'limit_exceeded', limit: 'treeNodes' }),
    )
    expect(store.get('s')?.diagnostics).toMatchObject([{ limit: 'treeNodes' }])
    store.setData('s', '/v', wide(2))
    expect(store.tree('s')).not.toBeNull()
  })

  test('SP-3: deep chains end in no RangeError', () => {
    const store = createSurfaceStore()
    const chain = Array.from({ length: 9000 }, (_, n) => ({
      id: `c${n}`,
      component: { Card: { child: `c${n + 1}` } },
    }))
    expect(store.apply(update('s', ...chain)).applied).toBe(true)
    store.apply(begin('c0'))
    expect(() => store.tree('s')).toThrow(expect.objectContaining({ limit: 'treeDepth' }))
    const closing = store.apply(update('s', { id: 'c9000', component: { Card: { child: 'c0' } } }))
    expect(closing.diagnostics).toMatchObject([{ code: 'circular_reference' }])
  })

  test('SP-89: counters follow every change', () => {
    const store = limited({ dataSize: 200 })
    for (let n = 0; n < 1000; n += 1) {
      expect(store.apply(data([{ key: 'a', valueString: 'x'.repeat(n % 50) }], 'm')).applied).toBe(
        true,
      )
      expect(store.setData('s', '/list', ['a', 'b']).applied).toBe(true)
    }
    expect(refused(store.apply(data([{ key: 'a', valueString: 'x'.repeat(200) }], 'm')))).toBe(
      'dataSize',
    )
    expect(store.apply(data([])).applied).toBe(true)
  })

  test('SP-2: reading an unknown surface is not an error', () => {
    const store = createSurfaceStore()
    expect([store.get('x'), store.tree('x'), store.getData('x'), store.snapshot('x')]).toEqual([
      null,
      null,
      undefined,
      [],
    ])
  })
})
