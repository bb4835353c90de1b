import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  MINIMAL_CATALOG_ID,
  minimalCatalogV08,
  STANDARD_CATALOG_ID,
  standardCatalogV08,
  validateMessage,
} from '@x/surface-protocol'

/** The table of SP-12: kind of each property, `*` for required. */
const alignment = 'center end start stretch'
const distribution = 'center end spaceAround spaceBetween spaceEvenly start'
const table: Record<string, Record<string, string>> = {
  Text: { text: 'BS*', usageHint: 'h1 h2 h3 h4 h5 caption body' },
  Image: {
    url: 'BS*',
    altText: 'BS',
    fit: 'contain cover fill none scale-down',
    usageHint: 'icon avatar smallFeature mediumFeature largeFeature header',
  },
  Icon: { name: 'icon*' },
  Video: { url: 'BS*' },
  AudioPlayer: { url: 'BS*', description: 'BS' },
  Row: { children: 'CH*', distribution, alignment },
  Column: { children: 'CH*', distribution, alignment },
  List: { children: 'CH*', direction: 'vertical horizontal', alignment },
  Card: { child: 'id*' },
  Tabs: { tabItems: 'tabs*' },
  Divider: { axis: 'horizontal vertical' },
  Modal: { entryPointChild: 'id*', contentChild: 'id*' },
  Button: { child: 'id*', primary: 'boolean', action: 'action*' },
  CheckBox: { label: 'BS*', value: 'BB*' },
  TextField: {
    label: 'BS*',
    text: 'BS',
    textFieldType: 'date longText number shortText obscured',
    validationRegexp: 'string',
  },
  DateTimeInput: { value: 'BS*', enableDate: 'boolean', enableTime: 'boolean' },
  MultipleChoice: {
    selections: 'BA*',
    options: 'options*',
    maxAllowedSelections: 'integer',
    variant: 'checkbox chips',
    filterable: 'boolean',
  },
  Slider: { value: 'BN*', label: 'BS', minValue: 'number', maxValue: 'number' },
}

const icons =
  'accountCircle add arrowBack arrowForward attachFile calendarToday call camera check close delete ' +
  'download edit event error favorite favoriteOff folder help home info locationOn lock lockOpen mail ' +
  'menu moreVert moreHoriz notificationsOff notifications payment person phone photo print refresh ' +
  'search send settings share shoppingCart star starHalf starOff upload visibility visibilityOff warning'

const bound = { path: '/a' }
/** For each kind: values that are right, and values that are wrong with the code and place of it. */
const kinds: Record<string, { right: unknown[]; wrong: [unknown, string, string?][] }> = {
  BS: {
    right: [{ literalString: '' }, bound, { ...bound, literalString: 'x' }],
    wrong: [
      ['x', 'invalid_property_value'],
      [{}, 'not_exactly_one'],
      [{ literalNumber: 1 }, 'invalid_property_value', '/literalNumber'],
      [{ literalString: 1 }, 'invalid_property_value', '/literalString'],
      [{ path: 1 }, 'invalid_property_value', '/path'],
      [{ path: '/~2' }, 'invalid_path', '/path'],
      [{ ...bound, other: 1 }, 'invalid_property', '/other'],
    ],
  },
  BN: {
    right: [{ literalNumber: 0 }, bound],
    wrong: [
      [{ literalNumber: 'x' }, 'invalid_property_value', '/literalNumber'],
      [{ literalString: 'x' }, 'invalid_property_value', '/literalString'],
    ],
  },
  BB: {
    right: [{ literalBoolean: false }, bound],
    wrong: [
      [{ literalBoolean: 0 }, 'invalid_property_value', '/literalBoolean'],
      [{ literalArray: [] }, 'invalid_property_value', '/literalArray'],
    ],
  },
  BA: {
    right: [{ literalArray: [] }, { literalArray: ['x'] }, bound],
    wrong: [
      [{ literalArray: [1] }, 'invalid_property_value', '/literalArray'],
      [{ literalArray: 'x' }, 'invalid_property_value', '/literalArray'],
    ],
  },
  icon: {
    right: [...icons.split(' ').map((literalString) => ({ literalString })), bound],
    wrong: [[{ literalString: 'nope' }, 'invalid_property_value', '/literalString']],
  },
  CH: {
    right: [
      { explicitList: [] },
      { explicitList: ['b'] },
      { template: { componentId: 'b', dataBinding: 'x' } },
    ],
    wrong: [
      [[], 'invalid_property_value'],
      [{}, 'not_exactly_one'],
      [{ explicitList: [], template: { componentId: 'b', dataBinding: 'x' } }, 'not_exactly_one'],
      [{ explicitList: 'b' }, 'invalid_property_value', '/explicitList'],
      [{ explicitList: [''] }, 'invalid_property_value', '/explicitList/0'],
      [{ explicitList: [], other: 1 }, 'invalid_property', '/other'],
      [{ template: 'b' }, 'invalid_property_value', '/template'],
      [{ template: { componentId: 'b' } }, 'missing_property', '/template/dataBinding'],
      [{ template: { dataBinding: 'x' } }, 'missing_property', '/template/componentId'],
      [
        { template: { componentId: 1, dataBinding: 'x' } },
        'invalid_property_value',
        '/template/componentId',
      ],
      [
        { template: { componentId: 'b', dataBinding: 1 } },
        'invalid_property_value',
        '/template/dataBinding',
      ],
      [
        { template: { componentId: 'b', dataBinding: 'x', other: 1 } },
        'invalid_property',
        '/template/other',
      ],
    ],
  },
  id: {
    right: ['b'],
    wrong: [
      ['', 'invalid_property_value'],
      [1, 'invalid_property_value'],
    ],
  },
  boolean: { right: [true], wrong: [['true', 'invalid_property_value']] },
  string: { right: [''], wrong: [[1, 'invalid_property_value']] },
  number: { right: [-1.5], wrong: [['1', 'invalid_property_value']] },
  integer: { right: [2], wrong: [[1.5, 'invalid_property_value']] },
  tabs: {
    right: [[], [{ title: bound, child: 'b' }]],
    wrong: [
      [{}, 'invalid_property_value'],
      [['b'], 'invalid_property_value', '/0'],
      [[{ title: bound }], 'missing_property', '/0/child'],
      [[{ child: 'b' }], 'missing_property', '/0/title'],
      [[{ title: bound, child: 'b', other: 1 }], 'invalid_property', '/0/other'],
    ],
  },
  options: {
    right: [[], [{ label: bound, value: 'b' }]],
    wrong: [
      [[{ label: bound, value: 1 }], 'invalid_property_value', '/0/value'],
      [[{ label: bound }], 'missing_property', '/0/value'],
    ],
  },
  action: {
    right: [
      { name: 'go' },
      { name: 'go', context: [{ key: 'k', value: { literalBoolean: true } }] },
      { name: 'go', context: [{ key: 'k', value: { literalNumber: 1 } }] },
    ],
    wrong: [
      ['go', 'invalid_property_value'],
      [{}, 'missing_property', '/name'],
      [{ name: 1 }, 'invalid_property_value', '/name'],
      [{ name: 'go', context: {} }, 'invalid_property_value', '/context'],
      [{ name: 'go', context: [{ key: 'k' }] }, 'missing_property', '/context/0/value'],
      [
        { name: 'go', context: [{ key: 'k', value: { literalArray: [] } }] },
        'invalid_property_value',
        '/context/0/value/literalArray',
      ],
    ],
  },
}

const kindOf = (text: string) => {
  const name = text.replace('*', '')
  const words = name.split(' ')
  return (
    kinds[name] ?? {
      right: words,
      wrong: [
        ['nope', 'invalid_property_value'],
        [(words[0] ?? '').toUpperCase(), 'invalid_property_value'],
        [1, 'invalid_property_value'],
      ] as [unknown, string, string?][],
    }
  )
}

/** The required properties of a type, all right. */
const minimum = (type: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(table[type] ?? {})
      .filter(([, kind]) => kind.endsWith('*'))
      .map(([name, kind]) => [name, kindOf(kind).right[0]]),
  )

const found = (type: string, properties: unknown) =>
  standardCatalogV08.validateComponent(type, properties).map(({ code, path }) => `${code} ${path}`)

describe('each property of the standard catalog', () => {
  test('SP-12: ids and types', () => {
    expect(STANDARD_CATALOG_ID).toBe(
      'https://a2ui.org/specification/v0_8/standard_catalog_definition.json',
    )
    expect([...standardCatalogV08.types].toSorted()).toEqual(Object.keys(table).toSorted())
    expect(icons.split(' ')).toHaveLength(48)
  })

  test('SP-18: the minimal catalog is a part of it', () => {
    expect(MINIMAL_CATALOG_ID).toBe(
      'https://a2ui.org/specification/v0_8/catalogs/minimal/minimal_catalog.json',
    )
    expect([...minimalCatalogV08.types].toSorted()).toEqual([
      'Button',
      'Column',
      'Row',
      'Text',
      'TextField',
    ])
    for (const type of minimalCatalogV08.types) {
      expect(minimalCatalogV08.validateComponent(type, minimum(type))).toEqual([])
      expect(minimalCatalogV08.validateComponent(type, { other: 1 }).length).toBeGreaterThan(0)
    }
  })

  for (const [type, properties] of Object.entries(table)) {
    test(`SP-12 SP-14 SP-15: ${type}`, () => {
      expect(found(type, minimum(type))).toEqual([])
      expect(found(type, { ...minimum(type), other: 1 })).toEqual(['invalid_property /other'])
      for (const [name, kind] of Object.entries(properties)) {
        const { right, wrong } = kindOf(kind)
        for (const value of right) {
          expect(found(type, { ...minimum(type), [name]: value })).toEqual([])
        }
        for (const [value, code, below = ''] of wrong) {
          expect(found(type, { ...minimum(type), [name]: value })).toEqual([
            `${code} /${name}${below}`,
          ])
        }
        const { [name]: _, ...rest } = minimum(type)
        expect(found(type, rest)).toEqual(kind.endsWith('*') ? [`missing_property /${name}`] : [])
      }
    })
  }

  test('SP-14: hints for names that were nearly right', () => {
    const hint = (type: string, properties: object) =>
      standardCatalogV08.validateComponent(type, properties)[0]?.hint
    expect(hint('text', {})).toBe('Text')
    expect(hint('Colum', {})).toBe('Column')
    expect(hint('Completely', {})).toBeUndefined()
    expect(hint('Txet', {})).toBe('Text')
    expect(hint('Sloxxr', {})).toBeUndefined()
    expect(hint('Divider', { AXIS: 'vertical' })).toBe('axis')
    expect(hint('Icon', { name: { literalString: 'hme' } })).toBe('home')
  })

  test('SP-13: each style', () => {
    const styles = (value: object) =>
      standardCatalogV08.validateStyles(value).map(({ code, path }) => `${code} ${path}`)
    expect(styles({ font: 'Arial', primaryColor: '#0aF9c2' })).toEqual([])
    expect(styles({ font: 1 })).toEqual(['invalid_style /font'])
    for (const primaryColor of ['red', '#fff', '#00000g', ' #000000', '#000000\n', 0]) {
      expect(styles({ primaryColor })).toEqual(['invalid_style /primaryColor'])
    }
    expect(styles({ other: 'x' })).toEqual(['invalid_style /other'])
  })

  test('SP-16 SP-17: each reference property is an edge', () => {
    const edges = (type: string, properties: object) =>
      standardCatalogV08.references(type, properties)
    expect(edges('Row', { children: { explicitList: ['a', 'b'] } })).toEqual([
      { path: '/children/explicitList/0', componentId: 'a', template: false },
      { path: '/children/explicitList/1', componentId: 'b', template: false },
    ])
    expect(
      edges('List', { children: { template: { componentId: 'a', dataBinding: 'x' } } }),
    ).toEqual([{ path: '/children/template/componentId', componentId: 'a', template: true }])
    for (const [type, name] of [
      ['Card', 'child'],
      ['Button', 'child'],
      ['Modal', 'entryPointChild'],
      ['Modal', 'contentChild'],
    ] as const) {
      expect(edges(type, { [name]: 'a' })).toEqual([
        { path: `/${name}`, componentId: 'a', template: false },
      ])
    }
    expect(edges('Tabs', { tabItems: [{ title: bound, child: 'a' }] })).toEqual([
      { path: '/tabItems/0/child', componentId: 'a', template: false },
    ])
    expect(edges('Nope', { child: 'a' })).toHaveLength(1)
  })
})

test('SP-19: each forgivable code is a warning in tolerant mode, and the message counts', () => {
  const store = createSurfaceStore({ mode: 'tolerant' })
  const send = (component: object) =>
    store.apply({ surfaceUpdate: { surfaceId: 's', components: [{ id: 'a', component }] } })
  const forgiven: [object, string][] = [
    [{ Nope: { child: 'b' } }, 'invalid_component_type'],
    [{ Divider: { other: 1 } }, 'invalid_property'],
    [{ Text: {} }, 'missing_property'],
    [{ Divider: { axis: 'x' } }, 'invalid_property_value'],
    [{ Text: { text: 'x' } }, 'invalid_property_value'],
  ]
  for (const [component, code] of forgiven) {
    expect(send(component)).toMatchObject({
      applied: true,
      diagnostics: [{ code, severity: 'warning' }],
    })
  }
  for (const component of [
    { Card: { child: 1 } },
    { Row: { children: 'b' } },
    { Row: { children: { explicitList: [1] } } },
    { Row: { children: { explicitList: 'b' } } },
    { Row: { children: { template: 'b' } } },
    { Row: { children: { template: { componentId: 'b', dataBinding: 1 } } } },
    { Row: { children: { template: { componentId: 'b' } } } },
    { Text: { text: {} } },
  ]) {
    expect(send(component).applied).toBe(false)
  }
  expect(
    store.apply({ beginRendering: { surfaceId: 's', root: 'a', styles: { other: 1 } } }),
  ).toMatchObject({ applied: true, diagnostics: [{ code: 'invalid_style', severity: 'warning' }] })
  const empty = { surfaceUpdate: { surfaceId: 's', components: [] } }
  expect(validateMessage(empty, { mode: 'tolerant' }).message).not.toBeNull()
  expect(validateMessage(empty).message).toBeNull()
  expect(send({ Card: { child: 'a' } }).diagnostics).toMatchObject([{ code: 'circular_reference' }])
})
