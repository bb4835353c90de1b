import { describe, expect, test } from 'vitest'
import {
  basicCatalogV09,
  checkComponent,
  checkSurface,
  createSurfaceStore,
  createUserAction,
  validateSubmission,
  type JsonObject,
  type JsonValue,
} from '@x/surface-protocol'
import { parseCatalog, pruneCatalog } from '@x/surface-protocol/catalog'
import { costOf } from './cost.ts'
import { version, catalogId, create, define, write, text, begun, codesOf } from './v09-messages.ts'

describe('functions and checks', () => {
  const call = (name: string, args: JsonObject = {}) => ({ call: name, args })

  test('SN-15 SN-18: calls are checked against the catalog', () => {
    const codeOf = (value: unknown) => codesOf(define(text('root', value)))[0]
    const at = '/updateComponents/components/0/text'
    expect(codeOf(call('shout'))).toBe(`unknown_function ${at}/call`)
    expect(codeOf(call('formatDate', { value: 'x' }))).toBe(`invalid_argument ${at}/args/format`)
    expect(codeOf(call('formatNumber', { value: 'x' }))).toBe(`invalid_argument ${at}/args/value`)
    expect(codeOf(call('formatNumber', { value: 1, other: 1 }))).toBe(
      `invalid_argument ${at}/args/other`,
    )
    expect(codeOf(call('formatString', { value: '${' }))).toBe(
      `invalid_expression ${at}/args/value`,
    )
    expect(codeOf(call('formatString', { value: '${shout()}' }))).toBe(
      `unknown_function ${at}/args/value/call`,
    )
    expect(codeOf({ ...call('formatString', { value: 'x' }), returnType: 'number' })).toBe(
      `invalid_property_value ${at}/returnType`,
    )
    expect(codeOf({ path: '/~2' })).toBe(`invalid_path ${at}/path`)
    let nested: JsonObject = call('not', { value: true })
    for (let n = 0; n < 40; n += 1) nested = call('not', { value: nested })
    expect(codeOf(nested)).toMatch(/^limit_exceeded/)
  })

  test('SN-33 SN-34: the store evaluates, in a scope, with functions of the host', () => {
    const document = {
      catalogId: 'urn:c',
      components: {
        Text: { properties: { text: { $ref: 'common_types.json#/$defs/DynamicString' } } },
      },
      functions: {
        upper: { properties: { args: { properties: { value: {} }, required: ['value'] } } },
      },
    }
    const store = createSurfaceStore({
      version,
      catalogs: [parseCatalog(document, { version })],
      functions: { upper: ({ value }) => JSON.stringify(value).toUpperCase() },
    })
    store.apply(create('s', { catalogId: 'urn:c' }))
    store.apply(write('/', { a: 'x', rows: [{ a: 'y' }] }))
    const value = call('upper', { value: { path: 'a' } })
    expect(store.evaluate('s', value)).toBe('"X"')
    expect(store.evaluate('s', value, { scope: '/rows/0' })).toBe('"Y"')
    expect(() => store.evaluate('s', call('not'))).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    expect(() => store.evaluate('x', 1)).toThrow(
      expect.objectContaining({ code: 'surface_not_found' }),
    )
    expect(codesOf(define(text('root', call('not', { value: true }))), store)[0]).toMatch(
      'unknown_function',
    )
  })

  const required = { condition: call('required', { value: { path: '/mail' } }), message: 'Needed.' }
  const email = { condition: call('email', { value: { path: '/mail' } }), message: 'No address.' }
  const form = (extra: object[] = []) =>
    begun(
      write('/', { mail: 'ida@host.example', age: 200 }),
      define(
        { id: 'root', component: 'Column', children: ['mail', 'age', 'send'] },
        {
          id: 'mail',
          component: 'TextField',
          label: 'Mail',
          value: { path: '/mail' },
          checks: [required, email],
        },
        {
          id: 'age',
          component: 'Slider',
          max: 99,
          value: { path: '/age' },
          checks: [
            {
              condition: call('numeric', { value: { path: '/age' }, max: 150 }),
              message: 'Too old.',
            },
          ],
        },
        {
          id: 'send',
          component: 'Button',
          child: 'label',
          action: {
            event: {
              name: 'send',
              context: {
                mail: { path: '/mail' },
                kind: 'form',
                label: call('formatString', { value: '<${/mail}>' }),
              },
            },
          },
        },
        text('label', 'Send'),
        ...extra,
      ),
    )
  const now = new Date('2026-01-05T08:00:00Z')
  const submitted = (mail: JsonValue, change: JsonObject = {}) => {
    const store = form()
    const { version: said, action } = createUserAction(store, {
      surfaceId: 's',
      nodeId: 'send',
      now,
    }) as unknown as {
      version: string
      action: JsonObject & { context: JsonObject }
    }
    const context = { ...action.context, mail, label: `<${typeof mail === 'string' ? mail : ''}>` }
    return { store, message: { version: said, action: { ...action, context, ...change } } }
  }

  test('SN-41: checks of a node and of a surface', () => {
    const store = form()
    expect(checkComponent(store, 's', 'mail')).toEqual({ valid: true, failures: [] })
    expect(checkSurface(store, 's').map(({ nodeId, message }) => [nodeId, message])).toEqual([
      ['age', 'Too old.'],
    ])
    const failed = checkSurface(store, 's', { dataModel: { mail: '', age: 1 } })
    expect(failed.map(({ index, message }) => [index, message])).toEqual([
      [0, 'Needed.'],
      [1, 'No address.'],
    ])
    expect(store.getData('s', '/mail')).toBe('ida@host.example')
  })

  test('SN-42: a submission is validated on the data of the client; nothing is written', () => {
    const { store, message } = submitted('ida@')
    const judged = validateSubmission(store, message)
    expect(judged).toMatchObject({
      message: null,
      data: { mail: 'ida@' },
      diagnostics: [
        { code: 'check_failed', componentId: 'mail', message: 'No address.', related: ['1'] },
      ],
    })
    expect(store.getData('s', '/mail')).toBe('ida@host.example')
    const right = submitted('per@host.example')
    expect(validateSubmission(right.store, right.message)).toMatchObject({
      diagnostics: [],
      message: right.message,
    })
    const all = validateSubmission(right.store, right.message, { checks: 'surface' })
    expect(all.diagnostics.map(({ componentId }) => componentId)).toEqual(['age'])
    const { diagnostics } = validateSubmission(store, message, { checks: 'source' })
    expect(diagnostics).toEqual([])
    const reported = { mail: '', age: 1 }
    expect(
      validateSubmission(store, submitted('').message, { dataModel: reported }).diagnostics,
    ).toHaveLength(2)
  })

  test('SN-42: only an action is a submission, not an error of a client', () => {
    const { store } = submitted('per@host.example')
    const error = { version: 'v0.9.1', error: { code: 'X', surfaceId: 's', message: 'm' } }
    expect(validateSubmission(store, error)).toMatchObject({
      message: null,
      data: {},
      diagnostics: [{ code: 'malformed_message', severity: 'error', path: '' }],
    })
    const wrong = { checks: 'all' as never }
    expect(() => validateSubmission(store, error, wrong)).toThrow(TypeError)
  })

  test('SN-42: forbidden submissions', () => {
    const codes = (change: JsonObject, options = {}) => {
      const { store, message } = submitted('per@host.example', change)
      return validateSubmission(store, message, options).diagnostics.map(({ code }) => code)
    }
    expect(codes({ surfaceId: 'x' })).toEqual(['surface_not_found'])
    expect(codes({ sourceComponentId: 'x' })).toEqual(['component_not_found'])
    expect(codes({ sourceComponentId: 'label' })).toEqual(['not_actionable'])
    expect(codes({ name: 'x' })).toEqual(['action_not_declared'])
    expect(codes({ context: {} })).toEqual([
      'context_mismatch',
      'context_mismatch',
      'context_mismatch',
    ])
    expect(codes({ timestamp: 'now' })).toEqual(['invalid_value'])
    expect(codes({ more: 1 })).toEqual(['unknown_key'])
    expect(codes({}, { maxSkewMs: 1000, now: new Date(0) })).toEqual(['invalid_value'])
    const mail = 'per@host.example'
    expect(codes({ context: { mail, kind: 'other', label: `<${mail}>` } })).toEqual([
      'context_mismatch',
    ])
    expect(codes({ context: { mail, kind: 'form', label: 'x' } })).toEqual(['context_mismatch'])
    for (const wrong of [null, 5, {}, { action: {} }]) {
      expect(validateSubmission(form(), wrong).message).toBeNull()
    }
  })

  test('SN-42 SN-72: 50 inputs with 2 checks each cost a few milliseconds', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `f${n}`)
    const context = Object.fromEntries(names.map((name) => [name, { path: `/${name}` }]))
    const store = begun(
      define(
        { id: 'root', component: 'Column', children: [...names, 'send'] },
        ...names.map((id) => ({
          id,
          component: 'TextField',
          label: id,
          value: { path: `/${id}` },
          checks: [
            { condition: call('required', { value: { path: `/${id}` } }), message: 'a' },
            { condition: call('length', { value: { path: `/${id}` }, max: 5 }), message: 'b' },
          ],
        })),
        {
          id: 'send',
          component: 'Button',
          child: 'label',
          action: { event: { name: 'go', context } },
        },
      ),
    )
    const message = createUserAction(store, { surfaceId: 's', nodeId: 'send', now })
    expect(validateSubmission(store, message).diagnostics).toHaveLength(50)
    const cost = await costOf(() => {
      for (let n = 0; n < 100; n += 1) validateSubmission(store, message)
    })
    expect(cost / 100).toBeLessThan(50)
  })
})

describe('catalogs', () => {
  test('SN-43 SN-44 SN-45: documents; edges come from the schema alone', () => {
    const common = 'https://a2ui.org/specification/v0_9/common_types.json#/$defs'
    const catalog = parseCatalog(
      {
        catalogId: 'urn:c',
        components: {
          Grid: {
            allOf: [{ $ref: `${common}/ComponentCommon` }, { $ref: '#/$defs/Sized' }],
            properties: {
              component: { const: 'Grid' },
              cells: {
                type: 'array',
                items: { properties: { one: { $ref: `${common}/ComponentId` } } },
              },
              child: { type: 'string' },
            },
            required: ['component', 'cells'],
          },
        },
        functions: [
          {
            name: 'double',
            parameters: { properties: { value: { type: 'number' } } },
            returnType: 'number',
          },
        ],
        $defs: { Sized: { properties: { size: { type: 'integer', minimum: 1 } } } },
      },
      { version },
    )
    expect(catalog).toMatchObject({ protocolVersion: '0.9', functionNames: ['double'] })
    const properties = { cells: [{ one: 'a' }], child: 'text', size: 1 }
    expect(catalog.references('Grid', properties)).toEqual([
      { path: '/cells/0/one', componentId: 'a', template: false },
    ])
    expect(catalog.validateComponent('Grid', { ...properties, size: 0 })).toMatchObject([
      { path: '/size' },
    ])
    expect(catalog.validateComponent('Grid', { child: 'x' })).toMatchObject([
      { code: 'missing_property' },
    ])
    for (const $ref of ['other.json#/a', '#/nowhere']) {
      expect(() =>
        parseCatalog(
          { catalogId: 'c', components: { A: { properties: { a: { $ref } } } } },
          { version },
        ),
      ).toThrow(expect.objectContaining({ code: 'invalid_catalog' }))
    }
    expect(() =>
      createSurfaceStore({ version, catalogs: [parseCatalog({ catalogId: 'c', components: {} })] }),
    ).toThrow(TypeError)
  })

  test('SN-48: a pruned catalog has only the named entries', () => {
    const pruned = pruneCatalog(basicCatalogV09, {
      components: ['Text', 'Nope'],
      functions: ['not'],
    })
    expect([pruned.catalogId, pruned.types, pruned.functionNames]).toEqual([
      catalogId,
      ['Text'],
      ['not'],
    ])
    expect(basicCatalogV09.types).toHaveLength(18)
    expect(() => pruneCatalog(basicCatalogV09, { components: [] })).toThrow(
      expect.objectContaining({ code: 'invalid_catalog' }),
    )
  })

  test('SN-54: a snapshot brings about an equal view', () => {
    const store = begun(
      write('/', { a: null, list: [1, [2], { b: null }] }),
      define({ id: 'root', component: 'Column', children: ['t'] }, text('t', { path: '/a' })),
    )
    const copy = createSurfaceStore({ version })
    copy.applyAll(store.snapshot())
    const { revision: _, ...view } = store.get('s') ?? { revision: 0 }
    expect(copy.get('s')).toMatchObject(view)
    expect(store.snapshot('s').map((message) => Object.keys(message)[1])).toEqual([
      'createSurface',
      'updateDataModel',
      'updateComponents',
    ])
  })
})
