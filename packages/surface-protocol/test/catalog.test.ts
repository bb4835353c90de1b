import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  createSurfaceStore,
  createUi,
  createSurfaceBuilder,
  bind,
  minimalCatalogV08,
  standardCatalogV08,
  validateClientMessage,
  validateMessage,
  type Catalog,
} from '@x/surface-protocol'
import {
  actionSchema,
  boundNumber,
  boundString,
  childrenRef,
  clientMessageSchema,
  componentRef,
  defineCatalog,
  extendCatalog,
  formatA2aExtension,
  formatCatalog,
  negotiateCatalog,
  parseCatalog,
  parseClientCapabilities,
  serverMessageSchema,
} from '@x/surface-protocol/catalog'
import { damage, createDice } from '../../../bench/surface/mutate.ts'
import { bigUpdate, mixedLines } from '../../../bench/surface/cases.ts'

/** A value after its way through JSON. */
const toJson = (value: unknown): unknown => {
  const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? 1 : one))
  return text === undefined ? null : JSON.parse(text)
}
const errors = (catalog: Catalog, type: string, properties: unknown) =>
  catalog.validateComponent(type, properties).map(({ code, path }) => `${code} ${path}`)

describe('parseCatalog', () => {
  const document = {
    catalogId: 'urn:shop',
    components: {
      Price: {
        type: 'object',
        required: ['amount'],
        additionalProperties: false,
        properties: {
          amount: { type: 'number', minimum: 0, multipleOf: 0.1 },
          unit: { $ref: '#/$defs/Unit' },
          note: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 },
        },
      },
      Frame: {
        type: 'object',
        properties: {
          slots: {
            type: 'array',
            items: { type: 'object', properties: { child: { type: 'string' } } },
          },
        },
      },
    },
    $defs: { Unit: { enum: ['EUR', 'USD'] } },
    styles: { dense: { type: 'boolean' } },
  }

  test('SP-51: assertions, references within the document, styles', () => {
    const catalog = parseCatalog(document)
    expect(errors(catalog, 'Price', { amount: 0.3, unit: 'EUR' })).toEqual([])
    expect(errors(catalog, 'Price', { amount: -1, unit: 'X', note: 'ABCD', more: 1 })).toEqual([
      'invalid_property_value /amount',
      'invalid_property_value /unit',
      'invalid_property_value /note',
      'invalid_property_value /note',
      'invalid_property /more',
    ])
    expect(errors(catalog, 'Price', {})).toEqual(['missing_property /amount'])
    expect(errors(catalog, 'Frame', { anything: 1 })).toEqual([])
    expect(catalog.validateStyles({ dense: 1, other: 1 }).map(({ path }) => path)).toEqual([
      '/dense',
      '/other',
    ])
  })

  test('SP-51: documents that are not understood are refused with the place', () => {
    const broken = (schema: unknown) => () =>
      parseCatalog({ catalogId: 'x', components: { A: schema } })
    const path = '/components/A'
    for (const [schema, at] of [
      [{ $ref: 'https://host.example/x' }, `${path}/$ref`],
      [{ $ref: '#/components/A' }, `${path}/$ref`],
      [{ if: {} }, `${path}/if`],
      [{ pattern: '(' }, `${path}/pattern`],
      [{ pattern: 'x'.repeat(513) }, `${path}/pattern`],
      [{ properties: { a: 5 } }, `${path}/properties/a`],
    ] as const) {
      expect(broken(schema)).toThrow(expect.objectContaining({ code: 'invalid_catalog', path: at }))
    }
    expect(broken({ pattern: 'x'.repeat(512) })).not.toThrow()
    const refused = (more: object) => () =>
      parseCatalog({ catalogId: 'x', components: {}, ...more })
    const through = { properties: { v: { $ref: '#/further/part' } } }
    for (const [more, at] of [
      [
        { components: { A: through }, further: { part: { pattern: '(' } } },
        '/further/part/pattern',
      ],
      [{ components: { A: through }, further: { part: { if: {} } } }, '/further/part/if'],
      [
        { components: { A: { anyOf: [{ $ref: '#/components/A' }] } } },
        '/components/A/anyOf/0/$ref',
      ],
      [
        { $defs: { B: { not: { $ref: '#/$defs/C' } }, C: { allOf: [{ $ref: '#/$defs/B' }] } } },
        '/$defs/C/allOf/0/$ref',
      ],
      [{ components: { A: { $ref: '#' } } }, '/components/A/$ref'],
      [{ components: { A: { $ref: '#/%' } } }, '/components/A/$ref'],
    ] as const) {
      expect(refused(more)).toThrow(expect.objectContaining({ code: 'invalid_catalog', path: at }))
    }
    expect(() => parseCatalog({ ...document, x: 'x'.repeat(300_000) })).toThrow(
      expect.objectContaining({ code: 'invalid_catalog' }),
    )
    expect(() => parseCatalog(null)).toThrow(expect.objectContaining({ code: 'invalid_catalog' }))
  })

  test('SP-51: each step of a chain of references counts, absent styles are not checked', () => {
    const catalog = parseCatalog({
      catalogId: 'x',
      components: { A: { properties: { v: { $ref: '#/$defs/B' } } } },
      $defs: { B: { $ref: '#/$defs/C', minLength: 3 }, C: { type: 'string' } },
    })
    expect(errors(catalog, 'A', { v: 'abc' })).toEqual([])
    expect(errors(catalog, 'A', { v: 'ab' })).toEqual(['invalid_property_value /v'])
    expect(errors(catalog, 'A', { v: 1 })).toEqual(['invalid_property_value /v'])
    expect(catalog.validateStyles({ anything: 1 })).toEqual([])
  })

  test('SP-51 SP-88: the size of a document counts in bytes', () => {
    const sized = (length: number) => {
      const bare = JSON.stringify({ catalogId: 'x', components: {}, more: '' }).length
      return { catalogId: 'x', components: {}, more: 'é'.repeat((length - bare) / 2) }
    }
    const base = JSON.stringify({ catalogId: 'x', components: {}, more: '' }).length
    const limits = { catalogBytes: base + 10 }
    expect(() => parseCatalog(sized(base + 10), { limits })).not.toThrow()
    expect(() => parseCatalog(sized(base + 12), { limits })).toThrow(
      expect.objectContaining({ code: 'invalid_catalog' }),
    )
  })

  test('SP-53: edges are declared or inferred, bound values found by their form', () => {
    const inferred = parseCatalog(document)
    expect(inferred.references('Frame', { slots: [{ child: 'a' }] })).toEqual([
      { path: '/slots/0/child', componentId: 'a', template: false },
    ])
    const declared = parseCatalog(
      {
        catalogId: 'x',
        components: {
          Grid: {
            type: 'object',
            properties: { body: { type: 'string' }, child: { type: 'string' } },
          },
        },
      },
      { references: { Grid: ['body'] } },
    )
    expect(
      declared.references('Grid', { body: 'b', child: 'c' }).map(({ componentId }) => componentId),
    ).toEqual(['b'])
    const store = createSurfaceStore({ catalogs: [inferred] })
    store.apply({
      surfaceUpdate: {
        surfaceId: 's',
        components: [
          {
            id: 'r',
            component: {
              Frame: { title: { path: '/t' }, any: { path: '/m' }, slots: [{ child: 'p' }] },
            },
          },
          { id: 'p', component: { Price: { amount: 1 } } },
        ],
      },
    })
    store.apply({ beginRendering: { surfaceId: 's', root: 'r', catalogId: 'urn:shop' } })
    store.setData('s', '', { t: 'T', m: { a: [1] } })
    expect(store.tree('s')?.properties).toMatchObject({
      title: 'T',
      any: { a: [1] },
      slots: [{ child: { id: 'p' } }],
    })
    const loop = store.apply({
      surfaceUpdate: {
        surfaceId: 's',
        components: [{ id: 'p', component: { Frame: { slots: [{ child: 'r' }] } } }],
      },
    })
    expect(loop.diagnostics).toMatchObject([{ code: 'circular_reference' }])
  })
})

describe('defineCatalog', () => {
  const shop = defineCatalog({
    catalogId: 'urn:shop',
    components: {
      Rating: z.object({ stars: boundNumber(), label: boundString().optional() }),
      Panel: z.object({
        header: componentRef(),
        parts: childrenRef(),
        action: actionSchema().optional(),
      }),
      Open: z.looseObject({}),
    },
    styles: { dense: z.boolean() },
  })

  test('SP-52: zod schemas are closed and mark edges', () => {
    expect(errors(shop, 'Rating', { stars: { literalNumber: 5 } })).toEqual([])
    expect(errors(shop, 'Rating', { stars: {}, x: 1 })).toHaveLength(2)
    expect(errors(shop, 'Open', { x: 1 })).toEqual([])
    expect(
      shop.references('Panel', {
        header: 'h',
        parts: { template: { componentId: 't', dataBinding: '/x' } },
      }),
    ).toMatchObject([
      { componentId: 'h', template: false },
      { componentId: 't', template: true },
    ])
    expect(() =>
      defineCatalog({
        catalogId: 'x',
        components: { A: z.object({ a: z.string().refine(() => true) }) },
      }),
    ).toThrow(expect.objectContaining({ code: 'invalid_catalog' }))
  })

  test('SP-52: extending and formatting', () => {
    const extended = extendCatalog(standardCatalogV08, {
      catalogId: 'urn:more',
      components: { Rating: z.object({ stars: boundNumber() }) },
    })
    expect(extended.types).toHaveLength(19)
    const more = createUi(extended)
    const messages = createSurfaceBuilder('s')
      .root(
        more.Column({ children: [more.Rating({ stars: bind('/n') }), more.Text({ text: 'x' })] }),
      )
      .toMessages()
    expect(
      createSurfaceStore({ catalogs: [extended] })
        .applyAll(messages)
        .every(({ applied }) => applied),
    ).toBe(true)
    expect(messages.at(-1)).toMatchObject({ beginRendering: { catalogId: 'urn:more' } })
  })

  test('SP-52: a catalog and its document accept and refuse the same', () => {
    const dice = createDice(3)
    for (const catalog of [standardCatalogV08, minimalCatalogV08, shop]) {
      const again = parseCatalog(formatCatalog(catalog))
      const samples = bigUpdate(12).flatMap(
        (line) => JSON.parse(line).surfaceUpdate?.components ?? [],
      ) as { component: object }[]
      for (let n = 0; n < 1500; n += 1) {
        const [type, properties] = Object.entries(
          samples[n % samples.length]?.component ?? {},
        )[0] ?? ['Text', {}]
        const changed = toJson(damage(properties, dice))
        const verdict = (one: Catalog) =>
          one.validateComponent(type, changed).some(({ code }) => code !== 'invalid_path')
        expect([JSON.stringify(changed), verdict(again)]).toEqual([
          JSON.stringify(changed),
          verdict(catalog),
        ])
      }
    }
  })
})

describe('negotiation', () => {
  const shop = parseCatalog({ catalogId: 'urn:shop', components: {} })
  const catalogs = [standardCatalogV08, shop]

  test('SP-54: the first of the client that the server has', () => {
    expect(negotiateCatalog({ catalogs })).toBe(standardCatalogV08)
    expect(
      negotiateCatalog({ catalogs, client: { supportedCatalogIds: ['urn:unknown', 'urn:shop'] } }),
    ).toBe(shop)
    expect(
      negotiateCatalog({
        catalogs,
        catalogAliases: { 'urn:old': 'urn:shop' },
        client: { supportedCatalogIds: ['urn:old'] },
      }),
    ).toBe(shop)
    expect(() =>
      negotiateCatalog({ catalogs, client: { supportedCatalogIds: ['urn:unknown'] } }),
    ).toThrow(expect.objectContaining({ code: 'no_common_catalog' }))
    for (const client of [null, {}, { supportedCatalogIds: [] }, { inlineCatalogs: [] }]) {
      expect(negotiateCatalog({ catalogs, client })).toBe(standardCatalogV08)
    }
    const inlineCatalogs = [{ components: { Mine: { type: 'object' } } }]
    const none = { supportedCatalogIds: [], inlineCatalogs }
    expect(
      negotiateCatalog({ catalogs, acceptsInlineCatalogs: true, client: none }).types,
    ).toContain('Mine')
    expect(() => negotiateCatalog({ catalogs, client: { inlineCatalogs } })).toThrow(
      expect.objectContaining({ code: 'inline_catalog_refused' }),
    )
    const merged = negotiateCatalog({
      catalogs,
      acceptsInlineCatalogs: true,
      client: { inlineCatalogs },
    })
    expect(merged.catalogId).toBe(standardCatalogV08.catalogId)
    expect(merged.types).toHaveLength(19)
  })

  test('SP-55: capabilities and the extension', () => {
    expect(
      parseClientCapabilities({ a2uiClientCapabilities: { supportedCatalogIds: ['a'] } }),
    ).toEqual({ supportedCatalogIds: ['a'] })
    expect(() => parseClientCapabilities({})).toThrow(
      expect.objectContaining({ code: 'missing_field' }),
    )
    expect(() => parseClientCapabilities({ supportedCatalogIds: 'a' })).toThrow(
      expect.objectContaining({ code: 'invalid_type' }),
    )
    expect(formatA2aExtension({ catalogs })).toMatchObject({
      required: false,
      params: {
        supportedCatalogIds: [standardCatalogV08.catalogId, 'urn:shop'],
        acceptsInlineCatalogs: false,
      },
    })
  })
})

describe('schemas', () => {
  test('the documented schemas and the validators agree', { tags: ['long'] }, () => {
    const dice = createDice(11)
    const sources = [...mixedLines(300, 3), ...bigUpdate(8)].map((line): unknown =>
      JSON.parse(line),
    )
    const action = {
      userAction: {
        name: 'x',
        surfaceId: 's',
        sourceComponentId: 'b',
        timestamp: '2026-01-05T08:00:00Z',
        context: { a: 1 },
      },
    }
    let accepted = 0
    for (let n = 0; n < 3000; n += 1) {
      const client = n % 4 === 0
      let value: unknown = client ? action : sources[dice(sources.length)]
      for (let times = dice(3); times > 0; times -= 1) value = damage(value, dice)
      const json = toJson(value)
      if (JSON.stringify(json).includes('__proto__')) continue
      const ours = client ? validateClientMessage(json).message : validateMessage(json).message
      const schema = client ? clientMessageSchema : serverMessageSchema
      const loops = validateMessage(json).diagnostics.some(
        ({ code }) => code === 'circular_reference',
      )
      if (loops) continue
      if (ours !== null) accepted += 1
      const verdict = [JSON.stringify(json), schema.safeParse(json).success]
      expect(verdict).toEqual([JSON.stringify(json), ours !== null])
    }
    expect(accepted).toBeGreaterThan(200)
  })
})
