import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  formatMessage,
  isSurfaceError,
  parseMessage,
  SurfaceError,
  validateMessage,
  validateMessages,
  standardCatalogV08,
} from '@x/surface-protocol'
import { surfaceErrorCodes } from '../src/errors.ts'

const codes = (value: unknown, options = {}) =>
  validateMessage(value, options).diagnostics.map(
    ({ code, path, severity }) => `${severity} ${code} ${path}`,
  )
const one = (component: object, id = 'a') => ({
  surfaceUpdate: { surfaceId: 's', components: [{ id, component }] },
})

describe('validateMessage', () => {
  test('SP-5: exactly one message key', () => {
    for (const value of [null, 1, 'x', [], {}, { foo: 1 }]) {
      expect(codes(value)).toEqual(['error malformed_message '])
    }
    expect(
      codes({
        deleteSurface: { surfaceId: 's' },
        surfaceUpdate: { surfaceId: 's', components: [] },
      }),
    ).toEqual(['error malformed_message '])
  })

  test('SP-6: unknown keys are errors, in tolerant mode warnings that are left out', () => {
    const value = {
      deleteSurface: { surfaceId: 's', 'a/b': 1 },
      extra: 1,
    }
    expect(codes(value)).toEqual([
      'error unknown_key /extra',
      'error unknown_key /deleteSurface/a~1b',
    ])
    expect(validateMessage(value, { mode: 'tolerant' })).toMatchObject({
      message: { deleteSurface: { surfaceId: 's' } },
      diagnostics: [{ severity: 'warning' }, { severity: 'warning' }],
    })
    expect(codes({ foo: 1 }, { mode: 'tolerant' })).toEqual(['error malformed_message '])
  })

  test('SP-7: messages of other versions', () => {
    expect(codes({ version: 'v0.9', deleteSurface: { surfaceId: 's' } })).toEqual([
      'error unsupported_version /version',
    ])
    expect(codes({ createSurface: { surfaceId: 's' } })[0]).toContain('unsupported_version')
    expect(validateMessage({ version: 'v0.8', deleteSurface: { surfaceId: 's' } }).message).toEqual(
      {
        deleteSurface: { surfaceId: 's' },
      },
    )
  })

  test('SP-8: missing, wrong type, wrong value, not exactly one', () => {
    expect(codes({ beginRendering: { surfaceId: '', root: 1 } })).toEqual([
      'error invalid_value /beginRendering/surfaceId',
      'error invalid_type /beginRendering/root',
    ])
    expect(codes({ dataModelUpdate: { surfaceId: 's' } })).toEqual([
      'error missing_field /dataModelUpdate/contents',
    ])
    const contents = [
      { key: 'a' },
      { key: 'b', valueString: 'x', valueNumber: 1 },
      { valueMap: [] },
    ]
    expect(codes({ dataModelUpdate: { surfaceId: 's', contents } })).toEqual([
      'error not_exactly_one /dataModelUpdate/contents/0',
      'error not_exactly_one /dataModelUpdate/contents/1',
      'error missing_field /dataModelUpdate/contents/2/key',
    ])
    expect(codes(one({ Text: {}, Card: {} }))).toEqual([
      'error not_exactly_one /surfaceUpdate/components/0/component',
    ])
    expect(codes({ surfaceUpdate: { surfaceId: 's', components: [] } })).toEqual([
      'error invalid_value /surfaceUpdate/components',
    ])
    expect(
      codes(
        JSON.parse(
          '{"dataModelUpdate":{"surfaceId":"s","contents":[{"key":"a","valueNumber":1e999}]}}',
        ),
      ),
    ).toEqual(['error invalid_value /dataModelUpdate/contents/0/valueNumber'])
  })

  test('SP-9: at most 100 problems, then one that says so', () => {
    const contents = Array.from({ length: 150 }, () => ({ key: 1, valueString: 'x' }))
    const { diagnostics } = validateMessage({ dataModelUpdate: { surfaceId: 's', contents } })
    expect(diagnostics).toHaveLength(101)
    expect(diagnostics.at(-1)).toMatchObject({ code: 'limit_exceeded', limit: 'diagnostics' })
    expect(diagnostics[99]?.path).toBe('/dataModelUpdate/contents/99/key')
  })

  test('SP-10 SP-11: duplicate keys follow JSON.parse, strings stay strings', () => {
    const text = '{"deleteSurface":{"surfaceId":"a","surfaceId":"{\\"x\\":1}"}}'
    expect(parseMessage(text)).toEqual({ deleteSurface: { surfaceId: '{"x":1}' } })
  })

  test('SP-11a: values that are no JSON are told of where they stand', () => {
    expect(codes(one({ Text: { text: new Date(0) } }))).toEqual([
      'error invalid_type /surfaceUpdate/components/0/component/Text/text',
    ])
    const loop: Record<string, unknown> = {}
    loop.a = loop
    loop.b = loop
    expect(validateMessage(one({ Text: loop })).diagnostics).toMatchObject([
      { code: 'limit_exceeded', limit: 'jsonDepth' },
    ])
    expect(
      validateMessage({ deleteSurface: { surfaceId: 's', more: undefined } }).message,
    ).not.toBeNull()
  })

  test('SP-56: loops inside one message', () => {
    const components = [
      { id: 'a', component: { Card: { child: 'b' } } },
      { id: 'b', component: { Card: { child: 'a' } } },
      { id: 'c', component: { Card: { child: 'c' } } },
    ]
    expect(codes({ surfaceUpdate: { surfaceId: 's', components } })).toEqual([
      'error circular_reference /surfaceUpdate/components/1/component/Card/child',
      'error circular_reference /surfaceUpdate/components/2/component/Card/child',
    ])
    expect(codes(one({ Nope: {} }), { catalog: standardCatalogV08 })).toHaveLength(1)
    expect(codes(one({ Nope: {} }))).toEqual([])
  })

  test('SP-57: parseMessage throws the first error with all diagnostics', () => {
    expect(() => parseMessage('{')).toThrow(expect.objectContaining({ code: 'malformed_json' }))
    const refusal = expect.objectContaining({
      code: 'missing_field',
      status: 422,
      diagnostics: [expect.anything(), expect.anything()],
    })
    expect(() => parseMessage('{"beginRendering":{}}')).toThrow(refusal)
  })

  test('SP-59 SP-60: every code has a status, sentences are short and clean', () => {
    for (const code of surfaceErrorCodes) {
      expect(new SurfaceError({ code, detail: 'x' }).status).toBeGreaterThanOrEqual(400)
    }
    expect(isSurfaceError({ [Symbol.for('@x/surface-protocol/error')]: true })).toBe(true)
    const { diagnostics } = validateMessage({
      deleteSurface: { surfaceId: 's', [`\n${'x'.repeat(5000)}`]: 1 },
    })
    expect(diagnostics[0]?.message.length).toBeLessThanOrEqual(300)
    // eslint-disable-next-line no-control-regex -- none of these may be left
    expect(diagnostics[0]?.message).not.toMatch(/[\u0000-\u001f]/)
  })

  test('SP-46: a line has no line break of any kind and keeps own keys', () => {
    const styles: Record<string, string> = JSON.parse('{"__proto__":"x"}')
    const line = formatMessage({
      beginRendering: { surfaceId: 'a\n\u2028\u2029\r', root: 'r', styles },
    })
    expect(line).not.toMatch(/[\n\r\u2028\u2029]/)
    expect(JSON.parse(line).beginRendering.surfaceId).toBe('a\n\u2028\u2029\r')
    expect(line).toContain('"__proto__"')
  })
})

describe('standard catalog', () => {
  const problems = (type: string, properties: unknown) =>
    standardCatalogV08
      .validateComponent(type, properties)
      .map(({ code, path }) => `${code} ${path}`)

  test('SP-12: one valid instance of each of the 18 types', () => {
    const text = { literalString: 'x' }
    const children = { explicitList: ['a'] }
    const valid: Record<string, object> = {
      Text: { text, usageHint: 'h1' },
      Image: { url: text, altText: text, fit: 'scale-down', usageHint: 'header' },
      Icon: { name: { literalString: 'starHalf' } },
      Video: { url: { path: 'x' } },
      AudioPlayer: { url: text, description: text },
      Row: { children, distribution: 'spaceEvenly', alignment: 'stretch' },
      Column: { children: { template: { componentId: 'a', dataBinding: '/x' } } },
      List: { children, direction: 'horizontal', alignment: 'end' },
      Card: { child: 'a' },
      Tabs: { tabItems: [{ title: text, child: 'a' }] },
      Divider: { axis: 'vertical' },
      Modal: { entryPointChild: 'a', contentChild: 'b' },
      Button: {
        child: 'a',
        primary: true,
        action: { name: 'x', context: [{ key: 'k', value: { literalBoolean: true } }] },
      },
      CheckBox: { label: text, value: { literalBoolean: false } },
      TextField: { label: text, text, textFieldType: 'obscured', validationRegexp: '^a' },
      DateTimeInput: { value: text, enableDate: true, enableTime: false },
      MultipleChoice: {
        selections: { literalArray: ['a'] },
        options: [{ label: text, value: 'a' }],
        maxAllowedSelections: 1,
        variant: 'chips',
        filterable: true,
      },
      Slider: { value: { literalNumber: 1 }, label: text, minValue: 0, maxValue: 2 },
    }
    expect(Object.keys(valid).toSorted()).toEqual([...standardCatalogV08.types].toSorted())
    for (const [type, properties] of Object.entries(valid))
      expect(problems(type, properties)).toEqual([])
  })

  test('SP-13: styles', () => {
    expect(standardCatalogV08.validateStyles({ font: 'x', primaryColor: '#00Aaff' })).toEqual([])
    const found = standardCatalogV08.validateStyles({ primaryColor: 'red', other: 1, font: 2 })
    expect(found.map(({ path }) => path)).toEqual(['/primaryColor', '/other', '/font'])
  })

  test('SP-14: names, required properties, values', () => {
    expect(standardCatalogV08.validateComponent('texT', {})[0]).toMatchObject({
      path: '',
      hint: 'Text',
    })
    expect(problems('Text', { text: { literalString: 'x' }, usagehint: 'h1' })).toEqual([
      'invalid_property /usagehint',
    ])
    expect(problems('Text', {})).toEqual(['missing_property /text'])
    expect(problems('Text', { text: { literalNumber: 1 } })).toEqual([
      'invalid_property_value /text/literalNumber',
    ])
    expect(problems('Tabs', { tabItems: [{ title: { path: 'a' }, child: '', x: 1 }] })).toEqual([
      'invalid_property_value /tabItems/0/child',
      'invalid_property /tabItems/0/x',
    ])
    expect(problems('Row', { children: { explicitList: [], template: {} } })).toContain(
      'not_exactly_one /children',
    )
  })

  test('SP-15: bound values', () => {
    expect(problems('Text', { text: {} })).toEqual(['not_exactly_one /text'])
    expect(problems('Text', { text: { path: 'a', literalString: 'x' } })).toEqual([])
    const value = { literalString: 'a', literalNumber: 1 }
    const action = { name: 'x', context: [{ key: 'k', value }] }
    expect(problems('Button', { child: 'a', action })).toEqual([
      'not_exactly_one /action/context/0/value',
    ])
    expect(problems('Icon', { name: { literalString: 'nothing', path: 'x' } })).toEqual([
      'invalid_property_value /name/literalString',
    ])
  })

  test('SP-16 SP-17: weights and repeated children', () => {
    const store = createSurfaceStore()
    const send = (...components: object[]) =>
      store
        .apply({ surfaceUpdate: { surfaceId: 's', components } })
        .diagnostics.map(({ code, path }) => `${code} ${path}`)
    expect(send({ id: 'w', weight: 2, component: { Divider: {} } })).toEqual([])
    expect(send({ id: 'card', component: { Card: { child: 'w' } } })).toEqual([
      'misplaced_weight /surfaceUpdate/components/0',
    ])
    expect(
      send({ id: 'row', component: { Row: { children: { explicitList: ['w', 'w'] } } } }),
    ).toEqual(['duplicate_child /surfaceUpdate/components/0/component/Row/children/explicitList/1'])
  })

  test('SP-19: tolerant mode', () => {
    const store = createSurfaceStore({ mode: 'tolerant' })
    const result = store.apply({
      surfaceUpdate: {
        surfaceId: 's',
        components: [
          { id: 'r', component: { Fancy: { child: 'a', text: { path: 'x' } } } },
          { id: 'a', component: { Text: { text: 'plain', usageHint: 'h9' } } },
        ],
      },
    })
    expect(result.applied).toBe(true)
    expect(result.diagnostics.every(({ severity }) => severity === 'warning')).toBe(true)
    store.apply({ beginRendering: { surfaceId: 's', root: 'r', styles: { nope: 1 } } })
    expect(store.tree('s')).toMatchObject({
      properties: { child: { id: 'a', properties: { text: null } } },
    })
    const broken = {
      surfaceUpdate: {
        surfaceId: 's',
        components: [{ id: 'c', component: { Card: { child: 5 } } }],
      },
    }
    expect(store.apply(broken).applied).toBe(false)
    expect(store.apply({ surfaceUpdate: { surfaceId: 's', components: [] } }).applied).toBe(true)
  })
})

describe('validateMessages', () => {
  test('SP-58: duplicates are errors, a whole surface can be asked for', () => {
    const messages = [
      {
        surfaceUpdate: {
          surfaceId: 's',
          components: [
            { id: 'a', component: { Card: { child: 'gone' } } },
            { id: 'b', component: { Divider: {} } },
          ],
        },
      },
      { beginRendering: { surfaceId: 's', root: 'a' } },
      {
        dataModelUpdate: {
          surfaceId: 's',
          contents: [
            { key: 'k', valueNumber: 1 },
            { key: 'k', valueNumber: 2 },
          ],
        },
      },
    ]
    const found = validateMessages(messages, { complete: true }).map(
      ({ code, severity, index }) => [code, severity, index],
    )
    expect(found).toEqual([
      ['missing_child', 'warning', 1],
      ['duplicate_key', 'error', 2],
      ['missing_child', 'error', undefined],
      ['unreachable_component', 'error', undefined],
    ])
    expect(
      validateMessages([{ beginRendering: { surfaceId: 's', root: 'a' } }], { complete: true }).at(
        -1,
      ),
    ).toMatchObject({
      code: 'missing_root',
      severity: 'error',
    })
  })
})
