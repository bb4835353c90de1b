import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  standardCatalogV08,
  type Catalog,
  type SurfaceDiagnostic,
} from '@x/surface-protocol'
import {
  actionSchema,
  componentRef,
  defineCatalog,
  formatCatalog,
  negotiateCatalog,
  parseCatalog,
  parseClientCapabilities,
} from '@x/surface-protocol/catalog'
import { z } from 'zod'

const catalogOf = (v: object, more: object = {}): Catalog =>
  parseCatalog({
    catalogId: 'urn:x',
    components: { A: { type: 'object', properties: { v } } },
    ...more,
  })

describe('JSON Schema keywords', () => {
  test.each(['anyOf', 'oneOf', 'allOf', 'not'])(
    'SP-51 schemas that double at each step of a chain cost no more than the steps: %s',
    (keyword) => {
      const next = (n: number) => ({ $ref: `#/$defs/d${n}` })
      const doubled = (n: number) =>
        keyword === 'not'
          ? { not: { not: { anyOf: [next(n), next(n)] } } }
          : { [keyword]: [next(n), next(n)] }
      // In place, and a level deeper in the value at each step.
      const inside = (n: number) => ({ properties: { a: doubled(n) } })
      const deep = (steps: number): object => (steps === 0 ? { leaf: 1 } : { a: deep(steps - 1) })
      for (const step of [doubled, inside]) {
        const chain = Array.from({ length: 24 }, (_, n) => [`d${n}`, step(n + 1)] as const)
        const catalog = catalogOf(next(0), {
          $defs: { ...Object.fromEntries(chain), d24: { type: 'string' } },
        })
        const value = step === doubled ? 7 : deep(24)
        expect(catalog.validateComponent('A', { v: value })).not.toEqual([])
      }
    },
  )

  const table: Record<string, [schema: object, right: unknown[], wrong: unknown[]]> = {
    'type string': [{ type: 'string' }, ['', 'x'], [1, null, {}, []]],
    'type number': [{ type: 'number' }, [1, 1.5], ['1', null]],
    'type integer': [{ type: 'integer' }, [1, 2.0], [1.5, '1']],
    'type boolean': [{ type: 'boolean' }, [true], [0, 'true']],
    'type null': [{ type: 'null' }, [null], [0, false]],
    'type array': [{ type: 'array' }, [[], [1]], [{}, 'x']],
    'type object': [{ type: 'object' }, [{}], [[], null]],
    'list of types': [{ type: ['string', 'null'] }, ['x', null], [1]],
    required: [{ required: ['a'] }, [{ a: 1 }, 'x'], [{}, { b: 1 }]],
    'additionalProperties false': [
      { properties: { a: {} }, additionalProperties: false },
      [{}, { a: 1 }],
      [{ b: 1 }],
    ],
    'additionalProperties schema': [
      { properties: { a: {} }, additionalProperties: { type: 'number' } },
      [{ a: 'x', b: 1 }],
      [{ b: 'x' }],
    ],
    'additionalProperties absent': [{ properties: { a: {} } }, [{ b: 1 }], []],
    items: [{ items: { type: 'number' } }, [[], [1]], [['x'], [1, 'x']]],
    enum: [{ enum: ['a', 1, null, { b: [1] }] }, ['a', 1, null, { b: [1] }], ['b', 2, { b: [2] }]],
    const: [{ const: { a: [1] } }, [{ a: [1] }], [{ a: [2] }, 1]],
    'const null': [{ const: null }, [null], [0, '', {}]],
    minItems: [{ minItems: 1 }, [[1], 'x'], [[]]],
    maxItems: [{ maxItems: 1 }, [[], [1]], [[1, 2]]],
    minProperties: [{ minProperties: 1 }, [{ a: 1 }], [{}]],
    maxProperties: [{ maxProperties: 1 }, [{}], [{ a: 1, b: 2 }]],
    minimum: [{ minimum: 1 }, [1, 2, 'x'], [0.9]],
    maximum: [{ maximum: 1 }, [1], [1.1]],
    exclusiveMinimum: [{ exclusiveMinimum: 1 }, [1.1], [1]],
    exclusiveMaximum: [{ exclusiveMaximum: 1 }, [0.9], [1]],
    multipleOf: [{ multipleOf: 0.1 }, [0.3, 1], [0.35]],
    minLength: [{ minLength: 2 }, ['ab', '😀x'], ['a', '😀']],
    maxLength: [{ maxLength: 1 }, ['a', '😀'], ['ab']],
    pattern: [{ pattern: '^a+$' }, ['aa', 1], ['b']],
    anyOf: [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['x', 5], [4]],
    oneOf: [{ oneOf: [{ minimum: 5 }, { maximum: 6 }] }, [1, 9], [5]],
    allOf: [{ allOf: [{ minimum: 5 }, { maximum: 6 }] }, [5], [4, 7]],
    not: [{ not: { type: 'string' } }, [1], ['x']],
    'local $ref': [{ $ref: '#/$defs/N' }, [1], ['x']],
    '$ref with a pointer escape': [{ $ref: '#/$defs/a~1b' }, ['x'], [1]],
    'annotations are ignored': [
      { title: 'x', description: 'x', default: 1, examples: [1], deprecated: true, $comment: 'x' },
      [1, 'x'],
      [],
    ],
    'schema true': [{ properties: { a: true } }, [{ a: 1 }], []],
    'schema false': [{ properties: { a: false } }, [{}], [{ a: 1 }]],
  }
  for (const [name, [schema, right, wrong]] of Object.entries(table)) {
    test(`SP-51: ${name}`, () => {
      const more = { $defs: { N: { type: 'number' }, 'a/b': { type: 'string' } } }
      for (const catalog of [
        catalogOf(schema, more),
        parseCatalog(formatCatalog(catalogOf(schema, more))),
      ]) {
        for (const v of right) expect(catalog.validateComponent('A', { v })).toEqual([])
        for (const v of wrong) {
          const [first] = catalog.validateComponent('A', { v })
          expect(first).toMatchObject({ severity: 'error', path: expect.stringMatching(/^\/v/) })
        }
      }
    })
  }

  test('SP-51: documents that are refused', () => {
    const components = { A: {} }
    for (const document of [
      [],
      { components },
      { catalogId: '', components },
      { catalogId: 'x', components: [] },
      { catalogId: 'x', components, styles: [] },
      { catalogId: 'x', components, styles: { a: { nope: 1 } } },
      { catalogId: 'x', components, $defs: { a: { nope: 1 } } },
      ...[
        5,
        { type: 'nope' },
        { type: 5 },
        { required: 'a' },
        { required: [1] },
        { enum: 'a' },
        { pattern: 5 },
        { minimum: 'x' },
        { multipleOf: 0 },
        { anyOf: {} },
        { properties: [] },
        { $ref: '#/$defs/nowhere' },
        { $ref: 'other.json#/a' },
        { unevaluatedProperties: false },
        { patternProperties: {} },
      ].map((A) => ({ catalogId: 'x', components: { A } })),
    ]) {
      expect(() => parseCatalog(document)).toThrow(
        expect.objectContaining({ code: 'invalid_catalog', status: 422 }),
      )
    }
    const loop = { catalogId: 'x', components: { A: { $ref: '#/$defs/a' } } }
    const $defs = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }
    expect(() => parseCatalog({ ...loop, $defs })).toThrow(
      expect.objectContaining({ code: 'invalid_catalog' }),
    )
  })

  test('SP-51: a schema that contains itself follows the value', () => {
    const tree = { type: 'object', properties: { v: { $ref: '#/components/A' } }, required: ['v'] }
    const catalog = parseCatalog({
      catalogId: 'x',
      components: { A: { ...tree, required: [], additionalProperties: false } },
    })
    expect(catalog.validateComponent('A', { v: { v: {} } })).toEqual([])
    expect(catalog.validateComponent('A', { v: { v: { w: 1 } } })).toMatchObject([
      { code: 'invalid_property', path: '/v/v/w' },
    ])
  })
})

test('SP-52: loose zod objects are open, others closed', () => {
  const catalog = defineCatalog({
    catalogId: 'urn:z',
    components: {
      Closed: z.object({ a: z.string() }),
      Loose: z.looseObject({ a: z.string() }),
      Rest: z.object({ a: z.string() }).catchall(z.number()),
    },
    styles: { dense: z.boolean() },
  })
  const codes = (type: string, value: object) =>
    catalog.validateComponent(type, value).map(({ code }) => code)
  expect(codes('Closed', { a: 'x', b: 1 })).toEqual(['invalid_property'])
  expect(codes('Loose', { a: 'x', b: 'y' })).toEqual([])
  expect(codes('Rest', { a: 'x', b: 1 })).toEqual([])
  expect(codes('Rest', { a: 'x', b: 'y' })).toHaveLength(1)
  expect(catalog.validateStyles({ dense: 'x' })).toMatchObject([{ code: 'invalid_style' }])
  const checked = z.object({ a: z.string().refine((value) => value !== 'x') })
  expect(() => defineCatalog({ catalogId: 'urn:c', components: { A: checked } })).toThrow(
    expect.objectContaining({ code: 'invalid_catalog', path: '/components/A' }),
  )
})

test('SP-24: a catalog that was written by hand is asked through its methods', () => {
  const wrong: SurfaceDiagnostic = {
    code: 'invalid_property_value',
    severity: 'error',
    message: 'No.',
    path: '/v',
  }
  const catalog: Catalog = {
    catalogId: 'urn:hand',
    types: ['A'],
    validateComponent: (_, properties) => (JSON.stringify(properties) === '{"v":1}' ? [] : [wrong]),
    validateStyles: () => [{ ...wrong, code: 'invalid_style', path: '/font' }],
    references: () => [],
  }
  const store = createSurfaceStore({ catalogs: [catalog] })
  const send = (v: number) =>
    store.apply({
      surfaceUpdate: { surfaceId: 's', components: [{ id: 'a', component: { A: { v } } }] },
    })
  expect(send(1).applied).toBe(true)
  expect(send(2).diagnostics).toMatchObject([
    { code: 'invalid_property_value', path: '/surfaceUpdate/components/0/component/A/v' },
  ])
  const styles = { font: 'x' }
  expect(
    store.apply({ beginRendering: { surfaceId: 's', root: 'a', catalogId: 'urn:hand', styles } })
      .diagnostics,
  ).toMatchObject([{ code: 'invalid_style', path: '/beginRendering/styles/font' }])
})

test('SP-53: references of types that no catalog describes are known by name and form', () => {
  const store = createSurfaceStore({ mode: 'tolerant' })
  const fancy = { Fancy: { bodyChild: 'b', children: ['c', 'd'], other: 'e', list: ['f'] } }
  store.apply({ surfaceUpdate: { surfaceId: 's', components: [{ id: 'a', component: fancy }] } })
  store.apply({ beginRendering: { surfaceId: 's', root: 'a' } })
  expect(store.get('s')?.missing).toEqual(['b', 'c', 'd'])
  const named = catalogOf(
    { $ref: '#/$defs/ComponentId' },
    { $defs: { ComponentId: { type: 'string' } } },
  )
  const titled = catalogOf({ type: 'string', title: 'ComponentId' })
  for (const catalog of [named, titled]) {
    expect(catalog.references('A', { v: 'b', w: 'c' })).toEqual([
      { path: '/v', componentId: 'b', template: false },
    ])
  }
  expect(catalogOf({ type: 'string' }).references('A', { v: 'b' })).toEqual([])
})

test('SP-54: inline catalogs extend what both sides have, otherwise the first of the server', () => {
  const second = parseCatalog({ catalogId: 'urn:second', components: { C: {} } })
  const inlineCatalogs = [{ catalogId: 'urn:mine', components: { B: {} } }]
  const types = (supportedCatalogIds: string[]) =>
    negotiateCatalog({
      catalogs: [catalogOf({}), second],
      acceptsInlineCatalogs: true,
      client: { supportedCatalogIds, inlineCatalogs },
    })
  expect(types(['urn:second'])).toMatchObject({ catalogId: 'urn:second', types: ['C', 'B'] })
  expect(types(['urn:none'])).toMatchObject({ catalogId: 'urn:x', types: ['A', 'B'] })
  expect(parseClientCapabilities({ inlineCatalogs })).toEqual({ inlineCatalogs })
})

test('SP-54 SP-55: malformed capabilities, inline catalogs over a base', () => {
  for (const value of [
    5,
    {},
    { supportedCatalogIds: 'x' },
    { supportedCatalogIds: [1] },
    { inlineCatalogs: {} },
    { inlineCatalogs: [1] },
  ]) {
    expect(() => parseClientCapabilities(value)).toThrow(
      expect.objectContaining({ code: expect.any(String), status: 422 }),
    )
  }
  const base = catalogOf({ type: 'string' })
  const inline = {
    catalogId: 'urn:inline',
    components: { B: { type: 'object' }, A: { type: 'object', required: ['w'] } },
  }
  const client = parseClientCapabilities({
    a2uiClientCapabilities: { supportedCatalogIds: ['urn:y'], inlineCatalogs: [inline] },
  })
  const result = negotiateCatalog({ catalogs: [base], acceptsInlineCatalogs: true, client })
  expect([result.catalogId, [...result.types]]).toEqual(['urn:x', ['A', 'B']])
  expect(result.validateComponent('A', {})).toMatchObject([{ code: 'missing_property' }])
  expect(base.validateComponent('A', {})).toEqual([])
  expect(() => negotiateCatalog({ catalogs: [base], client })).toThrow(
    expect.objectContaining({ code: 'inline_catalog_refused' }),
  )
})

test('SP-32 SP-51: names of inherited members are no properties and no schemas', () => {
  const Box = { type: 'object', properties: {}, additionalProperties: false }
  const catalog = parseCatalog({ catalogId: 'urn:c', components: { Box } })
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const properties: unknown = JSON.parse(`{"${name}":{}}`)
    expect(catalog.validateComponent('Box', properties)).toMatchObject([
      { code: 'invalid_property', path: `/${name}` },
    ])
    const components = { Box: { $ref: `#/components/${name}` } }
    expect(() => parseCatalog({ catalogId: 'urn:c', components })).toThrow(
      expect.objectContaining({ code: 'invalid_catalog' }),
    )
  }
})

test('SP-30 SP-53: paths of bound values and templates are checked in every type', () => {
  const catalog = parseCatalog({ catalogId: 'urn:c', components: { Any: { type: 'object' } } })
  const found = (properties: object) =>
    catalog.validateComponent('Any', properties).map(({ code, path }) => `${code} ${path}`)
  expect(found({ a: [{ path: 'x~2' }], b: { path: '~', literalString: 'x' } })).toEqual([
    'invalid_path /a/0/path',
    'invalid_path /b/path',
  ])
  const template = { componentId: 'c', dataBinding: '~' }
  expect(found({ children: { template } })).toEqual(['invalid_path /children/template/dataBinding'])
  expect(found({ file: { path: '~', name: 'x' } })).toEqual([])
})

test('SP-53: an explicitList or a template alone shows children, a list of strings only as children', () => {
  const id = { type: 'string' }
  const ids = { type: 'array', items: id }
  const template = { type: 'object', properties: { componentId: id, dataBinding: id } }
  const holding = (properties: object) => ({ type: 'object', properties })
  const components = {
    Listed: holding({ parts: holding({ explicitList: ids }) }),
    Repeated: holding({ parts: holding({ template }) }),
    Named: holding({ names: ids, children: ids }),
  }
  const edges = (type: string, properties: object, references?: Record<string, string[]>) =>
    parseCatalog({ catalogId: 'urn:c', components }, references === undefined ? {} : { references })
      .references(type, properties)
      .map(({ componentId }) => componentId)
  expect(edges('Listed', { parts: { explicitList: ['a'] } })).toEqual(['a'])
  const repeated = { parts: { template: { componentId: 'b', dataBinding: '/x' } } }
  expect(edges('Repeated', repeated)).toEqual(['b'])
  const named = { names: ['a'], children: ['b'] }
  expect(edges('Named', named)).toEqual(['b'])
  expect(edges('Named', named, { Named: ['names'] })).toEqual(['a'])
})

test('SP-44 SP-53: a bare path of a custom type follows changes far below it', () => {
  const components = { Box: { type: 'object' } }
  const store = createSurfaceStore({ catalogs: [parseCatalog({ catalogId: 'urn:c', components })] })
  const box = { id: 'r', component: { Box: { value: { path: '/m' } } } }
  store.applyAll([
    { surfaceUpdate: { surfaceId: 's', components: [box] } },
    { beginRendering: { surfaceId: 's', root: 'r', catalogId: 'urn:c' } },
  ])
  store.setData('s', '/m', { x: { y: { z: 1 } } })
  expect(store.setData('s', '/m/x/y/z', 2).change?.nodeIds).toEqual(['r'])
  expect(store.tree('s')?.properties.value).toEqual({ x: { y: { z: 2 } } })
})

test('SP-39 SP-53: an action of a custom type stays as declared', () => {
  const action = { name: 'go', context: [{ key: 'k', value: { path: 'x' } }] }
  const declared = { type: 'object', properties: { name: { type: 'string' }, context: {} } }
  const components = { Press: { type: 'object', properties: { action: declared } } }
  const store = createSurfaceStore({ catalogs: [parseCatalog({ catalogId: 'urn:c', components })] })
  store.applyAll([
    {
      surfaceUpdate: {
        surfaceId: 's',
        components: [{ id: 'r', component: { Press: { action } } }],
      },
    },
    { beginRendering: { surfaceId: 's', root: 'r', catalogId: 'urn:c' } },
  ])
  expect(store.tree('s')?.properties).toEqual({ action })
})

test('SP-54: the order of the client decides, and the last of its own catalogs', () => {
  const [one, two] = ['urn:one', 'urn:two'].map((catalogId) =>
    parseCatalog({ catalogId, components: {} }),
  )
  if (one === undefined || two === undefined) throw new Error('two catalogs')
  const catalogs = [one, two]
  const supportedCatalogIds = ['urn:two', 'urn:one']
  expect(negotiateCatalog({ catalogs, client: { supportedCatalogIds } })).toBe(two)
  const inlineCatalogs = ['string', 'number'].map((type) => ({
    components: { Mine: { type: 'object', properties: { a: { type } } } },
  }))
  const merged = negotiateCatalog({
    catalogs,
    acceptsInlineCatalogs: true,
    client: { inlineCatalogs },
  })
  expect(merged.validateComponent('Mine', { a: 1 })).toEqual([])
})

test('SP-52: the document of a catalog has every rule of its types', () => {
  const pressed = (value: object) => ({
    child: 'c',
    action: { name: 'go', context: [{ key: 'k', value }] },
  })
  const template = { componentId: 't', dataBinding: '/x' }
  const rows: [type: string, right: object, wrong: object[]][] = [
    ['Text', { text: { path: '/a', literalString: 'x' } }, [{}, { text: {} }]],
    ['Icon', { name: { literalString: 'home' } }, [{ name: { literalString: 'nothing' } }]],
    [
      'Row',
      { children: { template } },
      [{ children: {} }, { children: { template, explicitList: ['a'] } }],
    ],
    [
      'Button',
      pressed({ path: '/a', literalNumber: 1 }),
      [
        pressed({ literalString: 'x', literalNumber: 1 }),
        pressed({ literalString: 'x', literalBoolean: true }),
        pressed({ literalNumber: 1, literalBoolean: true }),
      ],
    ],
  ]
  const components = { Button: z.object({ child: componentRef(), action: actionSchema() }) }
  const defined = defineCatalog({ catalogId: 'urn:z', components })
  const documented = parseCatalog(formatCatalog(standardCatalogV08))
  for (const [type, right, wrong] of rows) {
    for (const catalog of [
      standardCatalogV08,
      documented,
      ...(type === 'Button' ? [defined] : []),
    ]) {
      expect(catalog.validateComponent(type, right)).toEqual([])
      for (const one of wrong) expect(catalog.validateComponent(type, one)).not.toEqual([])
    }
  }
})

test('SP-24 SP-42: a component looks different when its catalog places a reference elsewhere', () => {
  const id = { type: 'string' }
  const [one, two] = ['one', 'two'].map((name) =>
    parseCatalog(
      {
        catalogId: `urn:${name}`,
        components: { Box: { type: 'object', properties: { one: id, two: id } }, Leaf: {} },
      },
      { references: { Box: [name] } },
    ),
  )
  if (one === undefined || two === undefined) throw new Error('two catalogs')
  const store = createSurfaceStore({ catalogs: [one, two] })
  const send = (component: object) =>
    store.apply({ surfaceUpdate: { surfaceId: 's', components: [component] } })
  const begin = (catalogId: string) =>
    store.apply({ beginRendering: { surfaceId: 's', root: 'r', catalogId } })
  const box = { id: 'r', component: { Box: { one: 'x', two: 'x' } } }
  begin('urn:one')
  send(box)
  send({ id: 'x', component: { Leaf: {} } })
  begin('urn:two')
  expect(store.tree('s')?.properties).toMatchObject({ one: { id: 'x' }, two: 'x' })
  expect(send(box).change?.nodeIds).toEqual(['r'])
  expect(store.tree('s')?.properties).toMatchObject({ one: 'x', two: { id: 'x' } })
})
