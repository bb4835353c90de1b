import { describe, expect, test } from 'vitest'
import {
  createJsonLinesParser,
  createSurfaceStore,
  formatMessage,
  isSurfaceError,
  parseMessage,
  SurfaceError,
  validateMessage,
  validateMessages,
  standardCatalogV08,
  type Catalog,
} from '@x/surface-protocol'
import { surfaceErrorCodes } from '../src/diagnostics/errors.ts'

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
      'error unknown_key /deleteSurface/a~1b',
      'error unknown_key /extra',
    ])
    expect(validateMessage(value, { mode: 'tolerant' })).toMatchObject({
      message: { deleteSurface: { surfaceId: 's' } },
      diagnostics: [{ severity: 'warning' }, { severity: 'warning' }],
    })
    expect(codes({ foo: 1 }, { mode: 'tolerant' })).toEqual(['error malformed_message '])
    const entry = { key: 'a', valueString: 'b', more: 1 }
    const data = { dataModelUpdate: { surfaceId: 's', contents: [entry] } }
    expect(codes(data)).toEqual(['error unknown_key /dataModelUpdate/contents/0/more'])
  })

  test('SP-7: messages of other versions', () => {
    expect(codes({ version: 'v0.9', deleteSurface: { surfaceId: 's' } })).toEqual([
      'error unsupported_version /version',
    ])
    for (const key of ['createSurface', 'updateComponents', 'updateDataModel', 'callFunction']) {
      expect(codes({ [key]: { surfaceId: 's' } })).toEqual([`error unsupported_version /${key}`])
      expect(codes({ [key]: {}, deleteSurface: { surfaceId: 's' } })).toEqual([
        `error unsupported_version /${key}`,
      ])
    }
    const later = validateMessage({ version: 'v1.7', deleteSurface: { surfaceId: 's' } })
    expect(later.diagnostics[0]?.message).toContain('v1.7')
    expect(codes({ version: 9, deleteSurface: { surfaceId: 's' } })).toEqual([
      'error unknown_key /version',
    ])
    for (const version of ['v0.8', '0.8']) {
      const message = { deleteSurface: { surfaceId: 's' } }
      expect(validateMessage({ version, ...message })).toEqual({ message, diagnostics: [] })
    }
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

  test('SP-8: each field of each payload', () => {
    const begin = { surfaceId: 's', root: 'r' }
    const update = { surfaceId: 's', contents: [] }
    const instance = (more: object) => ({
      surfaceUpdate: {
        surfaceId: 's',
        components: [{ id: 'a', component: { Text: {} }, ...more }],
      },
    })
    const wrong: [object, string][] = [
      [{ deleteSurface: 's' }, 'invalid_type /deleteSurface'],
      [{ deleteSurface: {} }, 'missing_field /deleteSurface/surfaceId'],
      [{ beginRendering: { ...begin, root: '' } }, 'invalid_value /beginRendering/root'],
      [{ beginRendering: { ...begin, catalogId: '' } }, 'invalid_value /beginRendering/catalogId'],
      [{ beginRendering: { ...begin, catalogId: 1 } }, 'invalid_type /beginRendering/catalogId'],
      [{ beginRendering: { ...begin, styles: [] } }, 'invalid_type /beginRendering/styles'],
      [{ surfaceUpdate: { surfaceId: 's' } }, 'missing_field /surfaceUpdate/components'],
      [{ dataModelUpdate: { ...update, path: 1 } }, 'invalid_type /dataModelUpdate/path'],
      [{ dataModelUpdate: { ...update, path: '~2' } }, 'invalid_path /dataModelUpdate/path'],
      [{ dataModelUpdate: { ...update, contents: {} } }, 'invalid_type /dataModelUpdate/contents'],
    ]
    for (const [value, problem] of wrong) expect(codes(value)).toEqual([`error ${problem}`])
    const wrongInstances: [object, string][] = [
      [{ id: '' }, 'invalid_value /id'],
      [{ id: 1 }, 'invalid_type /id'],
      [{ id: undefined }, 'missing_field /id'],
      [{ weight: '1' }, 'invalid_type /weight'],
      [{ weight: Infinity }, 'invalid_value /weight'],
      [{ component: 'Text' }, 'invalid_type /component'],
      [{ component: {} }, 'not_exactly_one /component'],
      [{ component: { Text: [] } }, 'invalid_type /component/Text'],
      [{ component: { Text: { a: -Infinity } } }, 'invalid_value /component/Text/a'],
      [{ component: undefined }, 'missing_field /component'],
    ]
    for (const [more, problem] of wrongInstances) {
      const place = problem.replace(' ', ' /surfaceUpdate/components/0')
      expect(codes(instance(more))).toEqual([`error ${place}`])
    }
    const empty = { surfaceUpdate: { surfaceId: 's', components: [] } }
    expect(codes(empty, { mode: 'tolerant' })).toEqual([
      'warning invalid_value /surfaceUpdate/components',
    ])
  })

  test('SP-10 SP-11: duplicate keys follow JSON.parse, strings stay strings', () => {
    const text = '{"deleteSurface":{"surfaceId":"a","surfaceId":"{\\"x\\":1}"}}'
    expect(parseMessage(text)).toEqual({ deleteSurface: { surfaceId: '{"x":1}' } })
  })

  test('SP-11a: values that are not JSON are reported with their path', () => {
    expect(codes(one({ Text: { text: new Date(0) } }))).toEqual([
      'error invalid_type /surfaceUpdate/components/0/component/Text/text',
    ])
    for (const value of [() => 1, Symbol('x'), 1n, new Map(), [undefined]]) {
      const [found] = codes(one({ Text: { text: value } }))
      const below = Array.isArray(value) ? '/0' : ''
      expect(found).toBe(
        `error invalid_type /surfaceUpdate/components/0/component/Text/text${below}`,
      )
    }
    const entry = { key: 'a', valueString: 'b', valueNumber: undefined }
    expect(codes({ dataModelUpdate: { surfaceId: 's', contents: [entry] } })).toEqual([])
    expect(validateMessage(one({ Text: { text: undefined, a: 1 } })).message).toEqual(
      one({ Text: { a: 1 } }),
    )
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

  test('SP-11a SP-88: lines and values have the same limit of nesting', () => {
    const nested = (levels: number) =>
      one({ Text: { a: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) } })
    // Six objects and arrays stand around the value.
    for (const [levels, fits] of [
      [122, true],
      [123, false],
    ] as const) {
      const [line] = createJsonLinesParser().push(`${JSON.stringify(nested(levels))}\n`)
      expect(line?.error === undefined).toBe(fits)
      expect(validateMessage(nested(levels)).message !== null).toBe(fits)
    }
  })

  test('SP-32: own keys of any name are kept in properties', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const text = `{${names.map((name) => `"${name}":{"x":1}`).join()}}`
    const { message } = validateMessage(one({ Custom: JSON.parse(text) }))
    expect(JSON.stringify(message)).toBe(JSON.stringify(one({ Custom: JSON.parse(text) })))
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
    const catalog: Catalog = {
      ...standardCatalogV08,
      validateComponent: () => [
        { code: 'invalid_property', severity: 'error', message: 'x'.repeat(500), path: '' },
      ],
    }
    const told = validateMessage(one({ Text: {} }), { catalog }).diagnostics
    expect(told[0]?.message).toHaveLength(300)
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
    const explicitList = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'a']
    expect(send({ id: 'list', component: { List: { children: { explicitList } } } })).toEqual([
      'duplicate_child /surfaceUpdate/components/0/component/List/children/explicitList/9',
    ])
  })

  test('SP-16: a weight counts in a Row and in a Column, listed or by template', () => {
    const template = { template: { componentId: 'w', dataBinding: 'x' } }
    const told = (type: string, children: object) =>
      validateMessage({
        surfaceUpdate: {
          surfaceId: 's',
          components: [
            { id: 'p', component: { [type]: { children } } },
            { id: 'w', weight: 1, component: { Divider: {} } },
          ],
        },
      }).diagnostics.map(({ code, severity, path }) => `${severity} ${code} ${path}`)
    for (const children of [{ explicitList: ['w'] }, template]) {
      expect(told('Row', children)).toEqual([])
      expect(told('Column', children)).toEqual([])
      expect(told('List', children)).toEqual([
        'warning misplaced_weight /surfaceUpdate/components/1/weight',
      ])
    }
  })

  test('SP-16 SP-17: stored parents count unless the message takes their child away', () => {
    const send = (...messages: object[][]) => {
      const store = createSurfaceStore()
      const results = messages.map((components) =>
        store.apply({ surfaceUpdate: { surfaceId: 's', components } }),
      )
      return results.at(-1)?.diagnostics.map(({ code, path, related }) => [code, path, related])
    }
    const card = (id: string, child: string) => ({ id, component: { Card: { child } } })
    const row = (id: string, ...ids: string[]) => ({
      id,
      component: { Row: { children: { explicitList: ids } } },
    })
    const weighted = { id: 'w', weight: 1, component: { Divider: {} } }
    const misplaced = (path: string) => [['misplaced_weight', path, undefined]]
    const first = '/surfaceUpdate/components/0'
    expect(send([card('c', 'w')], [weighted])).toEqual(misplaced(`${first}/weight`))
    expect(send([card('c', 'w')], [row('r', 'w')], [weighted])).toEqual([])
    expect(send([row('r', 'w')], [card('r', 'x'), weighted])).toEqual([])
    expect(send([row('r', 'w')], [weighted, row('r', 'x'), card('c', 'w')])).toEqual(
      misplaced(`${first}/weight`),
    )
    expect(send([row('r', 'a', 'a')])).toEqual([
      ['duplicate_child', `${first}/component/Row/children/explicitList/1`, ['a']],
    ])
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
