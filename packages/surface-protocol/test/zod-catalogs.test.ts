import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import {
  basicCatalogV09,
  createSurfaceStore,
  createSurfaceWriter,
  createUi,
  bind,
  event,
  minimalCatalogV08,
  minimalCatalogV09,
  standardCatalogV08,
  validateSubmission,
  type Catalog,
  type JsonObject,
  type Version,
} from '@x/surface-protocol'
import {
  actionSchema,
  boundNumber,
  boundString,
  boundValue,
  checksSchema,
  childrenRef,
  componentRef,
  defineCatalog,
  extendCatalog,
  formatCatalog,
  parseCatalog,
  pruneCatalog,
} from '@x/surface-protocol/catalog'
import { formatPrompt } from '@x/surface-protocol/llm'
import { basicCatalogV1, v1 } from '@x/surface-protocol/v1'

const rating = z
  .object({
    label: boundString().describe('What is rated.'),
    value: boundNumber(),
    stars: z.number().int().min(1).max(10).optional(),
    note: z.string().max(5).optional(),
    action: actionSchema(),
    checks: checksSchema().optional(),
  })
  .describe('Stars to choose from.')
const box = z.object({
  child: componentRef(),
  children: childrenRef().optional(),
  any: boundValue().optional(),
})
const discount = {
  args: z.object({ value: boundNumber() }),
  returns: 'number',
  description: 'Less.',
} as const

const good: JsonObject = {
  label: { path: '/label' },
  value: { path: '/v' },
  action: { event: { name: 'rate', context: { v: { path: '/v' } } } },
}

describe.each<[string, Version, Catalog]>([
  ['0.9.1', '0.9.1', basicCatalogV09],
  ['1.0', v1, basicCatalogV1],
])('SX-7: own types and functions in %s', (name, version, base) => {
  const bound = (path: string) => (version === '0.9.1' ? { path } : { '@path': path })
  const called = (fn: string) =>
    version === '0.9.1' ? { call: fn, args: { value: 1 } } : { '@call': fn, args: { value: 1 } }
  const own = extendCatalog(base, {
    catalogId: 'urn:shop',
    components: { Rating: rating, Box: box },
    functions: { discount },
    instructions: 'Be kind.',
  })
  const right = {
    ...good,
    label: bound('/label'),
    value: called('discount'),
    action: { event: { name: 'rate' } },
  }

  test('the types of the base stay, and helpers mean this version', () => {
    expect(own.types).toEqual([...base.types, 'Rating', 'Box'])
    expect(own.functionNames).toEqual([...(base.functionNames ?? []), 'discount'])
    expect(own.validateComponent('Rating', right)).toEqual([])
    expect(own.validateComponent('Box', { child: 'a', children: ['b'], any: [1] })).toEqual([])
    expect(own.references('Box', { child: 'a' }).map((one) => one.componentId)).toEqual(['a'])
    const codes = (change: object) =>
      own.validateComponent('Rating', { ...right, ...change }).map(({ code }) => code)
    expect(codes({ label: { literalString: 'x' } })).not.toEqual([])
    expect(codes({ stars: 11 })).not.toEqual([])
    expect(codes({ other: 1 })).toEqual(['invalid_property'])
    expect(own.validateComponent('Rating', { label: 'x' }).map(({ code }) => code)).toContain(
      'missing_property',
    )
    expect(base.types).not.toContain('Rating')
    const replaced = extendCatalog(own, {
      catalogId: 'urn:2',
      components: { Rating: z.object({}) },
    })
    expect(replaced.validateComponent('Rating', {})).toEqual([])
  })

  test('descriptions reach the document, and the document reads back', () => {
    const document = formatCatalog(own)
    expect(JSON.stringify(document)).toContain('Stars to choose from.')
    expect(JSON.stringify(document)).toContain('What is rated.')
    const again = parseCatalog(document, { version })
    expect(again.types).toEqual(own.types)
    expect(again.validateComponent('Rating', right)).toEqual([])
    expect(again.validateComponent('Rating', { ...right, stars: 11 })).not.toEqual([])
    expect(formatPrompt({ version, catalogs: [own] })).toContain('Rating')
    expect(name).toBe(version === '0.9.1' ? '0.9.1' : '1.0')
  })

  test('a catalog of its own', () => {
    const alone = defineCatalog({ version, catalogId: 'urn:a', components: { Rating: rating } })
    expect(alone.types).toEqual(['Rating'])
    expect(alone.validateComponent('Rating', { ...right, value: 1 })).toEqual([])
  })
})

test('SX-7: in 0.8 the helpers mean 0.8, and there are no checks and functions', () => {
  const { checks: _, ...shape } = rating.shape
  const own = extendCatalog(standardCatalogV08, {
    catalogId: 'urn:x',
    components: { Rating: z.object(shape) },
  })
  const value = { label: { literalString: 'x' }, value: { path: '/v' }, action: { name: 'rate' } }
  expect(own.validateComponent('Rating', value)).toEqual([])
  expect(() => defineCatalog({ catalogId: 'a', components: { Rating: rating } })).toThrow(TypeError)
  expect(() => defineCatalog({ catalogId: 'a', components: {}, functions: { discount } })).toThrow(
    TypeError,
  )
  expect(() =>
    extendCatalog(basicCatalogV09, { version: '0.8', catalogId: 'a', components: {} }),
  ).toThrow(TypeError)
})

test('SX-7: zod/mini is taken, zod 3 is named', () => {
  const own = defineCatalog({
    version: '0.9.1',
    catalogId: 'urn:m',
    components: { Note: mini.object({ text: mini.string() }) as unknown as z.ZodObject },
  })
  expect(own.validateComponent('Note', { text: 'x' })).toEqual([])
  expect(own.validateComponent('Note', { text: 1 })).not.toEqual([])
  const older = { _def: {}, parse: () => undefined } as unknown as z.ZodObject
  expect(() => defineCatalog({ catalogId: 'a', components: { Old: older } })).toThrow(/zod 4/)
})

describe.each<[string, Catalog, Version]>([
  ['standard 0.8', standardCatalogV08, '0.8'],
  ['minimal 0.8', minimalCatalogV08, '0.8'],
  ['basic 0.9.1', basicCatalogV09, '0.9.1'],
  ['minimal 0.9.1', minimalCatalogV09, '0.9.1'],
  ['basic 1.0', basicCatalogV1, v1],
])('SX-6: the document of %s', (_, catalog, version) => {
  const again = parseCatalog(formatCatalog(catalog), { version })

  test('reads back as the same types and functions', () => {
    expect(again.types).toEqual(catalog.types)
    expect(again.functionNames).toEqual(catalog.functionNames)
    expect(formatCatalog(again)).toEqual(formatCatalog(catalog))
    const samples: [string, object][] = [
      ['Text', { text: 'x' }],
      ['Text', { text: { literalString: 'x' } }],
      ['Text', { text: { path: '/a' } }],
      ['Text', { text: { '@path': '/a' } }],
      ['Text', { text: 'x', nothing: 1 }],
      ['Button', { child: 'a', action: { name: 'go' } }],
      ['Button', { child: 'a', action: { event: { name: 'go' } } }],
      ['Button', { child: 'a', action: { event: { name: 'go' } }, checks: [] }],
      ['Column', { children: ['a'] }],
      ['Column', { children: { explicitList: ['a'] } }],
      ['Column', {}],
      ['None', {}],
    ]
    for (const [type, properties] of samples) {
      const accepts = (one: Catalog) => one.validateComponent(type, properties).length === 0
      expect(accepts(again), `${type} ${JSON.stringify(properties)}`).toBe(accepts(catalog))
    }
  })

  test('SX-8: it can be pruned', () => {
    expect(pruneCatalog(catalog, { components: ['Text', 'x'] }).types).toEqual(['Text'])
    expect(pruneCatalog(again, { components: ['Text'] }).types).toEqual(['Text'])
    expect(() => pruneCatalog(catalog, { components: [] })).toThrow(
      expect.objectContaining({ code: 'invalid_catalog' }),
    )
  })
})

test('SX-8: a shop adds a type with zod, builds with it, and gets the vote', async () => {
  const shop = extendCatalog(basicCatalogV09, {
    catalogId: 'urn:shop',
    components: { Rating: rating },
  })
  const ui = createUi(shop)
  const client = createSurfaceStore({ version: '0.9.1', catalogs: [shop] })
  const writer = createSurfaceWriter({
    version: '0.9.1',
    catalogs: [shop],
    send: (message) => expect(client.apply(message).applied).toBe(true),
  })
  const node = ui.Rating({
    label: 'Tea',
    value: bind('/v'),
    action: event('rate', { v: bind('/v') }),
  })
  await writer.render('s', { root: node, data: { v: 1 } })
  expect(client.tree('s')).toMatchObject({ type: 'Rating', properties: { value: 1 } })
  const vote = {
    userAction: {
      name: 'rate',
      surfaceId: 's',
      sourceComponentId: 'root',
      timestamp: 0,
      context: { v: 5 },
    },
  }
  expect(validateSubmission(writer.store, vote)).toMatchObject({ diagnostics: [], data: { v: 5 } })
  await expect(
    writer.render('s', { root: node.set({ stars: 0 }), data: {} }),
  ).rejects.toMatchObject({ code: 'invalid_property_value' })
})
