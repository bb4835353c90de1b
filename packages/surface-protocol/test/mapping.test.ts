import { describe, expect, test } from 'vitest'
import {
  createSurfaceStore,
  validateClientMessage,
  type ComponentInstance,
  type JsonObject,
} from '@x/surface-protocol'
import { renderSurfaceHtml } from '@x/surface-protocol/html'
import { extractMessages } from '@x/surface-protocol/llm'
import { convertToV08, convertToV09, detectVersion } from '@x/surface-protocol/interop'

/** The rows of SP-81: properties of 0.8 and of 0.9. */
const rows: [type: string, old: JsonObject, type09: string, now: JsonObject][] = [
  ['Text', { text: { literalString: 'a' }, usageHint: 'h2' }, 'Text', { text: 'a', variant: 'h2' }],
  ['Text', { text: { path: '/a' } }, 'Text', { text: { path: '/a' } }],
  [
    'Image',
    {
      url: { literalString: 'u' },
      altText: { literalString: 'b' },
      fit: 'scale-down',
      usageHint: 'icon',
    },
    'Image',
    { url: 'u', description: 'b', fit: 'scaleDown', variant: 'icon' },
  ],
  [
    'Row',
    { children: { explicitList: ['x'] }, distribution: 'start', alignment: 'end' },
    'Row',
    { children: ['x'], justify: 'start', align: 'end' },
  ],
  [
    'List',
    { children: { template: { componentId: 'x', dataBinding: '/l' } }, alignment: 'end' },
    'List',
    { children: { componentId: 'x', path: '/l' }, align: 'end' },
  ],
  [
    'Tabs',
    { tabItems: [{ title: { literalString: 'a' }, child: 'x' }] },
    'Tabs',
    { tabs: [{ title: 'a', child: 'x' }] },
  ],
  ['Modal', { entryPointChild: 'x', contentChild: 'y' }, 'Modal', { trigger: 'x', content: 'y' }],
  [
    'Button',
    {
      child: 'x',
      primary: true,
      action: { name: 'go', context: [{ key: 'k', value: { path: '/a' } }] },
    },
    'Button',
    {
      child: 'x',
      action: { event: { name: 'go', context: { k: { path: '/a' } } } },
      variant: 'primary',
    },
  ],
  [
    'TextField',
    { label: { literalString: 'l' }, text: { path: '/a' }, textFieldType: 'longText' },
    'TextField',
    { label: 'l', value: { path: '/a' }, variant: 'longText' },
  ],
  [
    'MultipleChoice',
    {
      selections: { path: '/a' },
      options: [{ label: { literalString: 'o' }, value: 'v' }],
      maxAllowedSelections: 1,
      variant: 'chips',
    },
    'ChoicePicker',
    {
      value: { path: '/a' },
      options: [{ label: 'o', value: 'v' }],
      displayStyle: 'chips',
      variant: 'mutuallyExclusive',
    },
  ],
  [
    'Slider',
    { value: { literalNumber: 3 }, minValue: 1, maxValue: 9 },
    'Slider',
    { value: 3, min: 1, max: 9 },
  ],
  [
    'CheckBox',
    { label: { literalString: 'l' }, value: { literalBoolean: true } },
    'CheckBox',
    { label: 'l', value: true },
  ],
]

const toV09 = (component: ComponentInstance['component']) =>
  convertToV09([
    { surfaceUpdate: { surfaceId: 's', components: [{ id: 'root', component }] } },
    { beginRendering: { surfaceId: 's', root: 'root' } },
  ]).messages.at(-1)

describe('versions 0.8 and 0.9', () => {
  for (const [type, old, type09, now] of rows) {
    test(`SP-81 SP-82: ${type} ${Object.keys(old).join(' ')}`, () => {
      expect(toV09({ [type]: old })).toEqual({
        version: 'v0.9',
        updateComponents: {
          surfaceId: 's',
          components: [{ id: 'root', component: type09, ...now }],
        },
      })
      const { messages, diagnostics } = convertToV08([
        { version: 'v0.9', createSurface: { surfaceId: 's', catalogId: 'urn:x' } },
        {
          version: 'v0.9',
          updateComponents: {
            surfaceId: 's',
            components: [{ id: 'root', component: type09, ...now }],
          },
        },
      ])
      expect(diagnostics).toEqual([])
      expect(messages[0]).toEqual({
        surfaceUpdate: { surfaceId: 's', components: [{ id: 'root', component: { [type]: old } }] },
      })
    })
  }

  test('SP-81: what only the way there has', () => {
    expect(toV09({ Slider: { value: { literalNumber: 1 } } })).toMatchObject({
      updateComponents: { components: [{ max: 100 }] },
    })
    expect(
      toV09({ TextField: { label: { literalString: 'l' }, textFieldType: 'date' } }),
    ).toMatchObject({
      updateComponents: { components: [{ component: 'DateTimeInput', enableDate: true }] },
    })
    expect(toV09({ MultipleChoice: { selections: { path: '/a' }, options: [] } })).toMatchObject({
      updateComponents: { components: [{ variant: 'multipleSelection' }] },
    })
  })

  test('SP-81: root is renamed with its references, theme and initial values go first', () => {
    const { messages } = convertToV09([
      {
        surfaceUpdate: {
          surfaceId: 's',
          components: [
            { id: 'page', component: { Card: { child: 'root' } } },
            { id: 'root', component: { Text: { text: { path: '/a', literalString: 'x' } } } },
          ],
        },
      },
      {
        beginRendering: {
          surfaceId: 's',
          root: 'page',
          styles: { primaryColor: '#00aaff', font: 'f' },
        },
      },
      { dataModelUpdate: { surfaceId: 's', contents: [{ key: 'a', valueString: 'y' }] } },
      { deleteSurface: { surfaceId: 's' } },
    ])
    expect(messages).toMatchObject([
      { createSurface: { theme: { primaryColor: '#00aaff' } } },
      { updateDataModel: { path: '/a', value: 'x' } },
      {
        updateComponents: {
          components: [
            { id: 'root', component: 'Card', child: 'root_' },
            { id: 'root_', component: 'Text', text: { path: '/a' } },
          ],
        },
      },
      { updateDataModel: { path: '/', value: { a: 'y' } } },
      { deleteSurface: { surfaceId: 's' } },
    ])
    expect(messages[0]).not.toHaveProperty('createSurface.theme.font')
  })

  test('SP-80: versions are told by keys, then by name', () => {
    expect(detectVersion({ surfaceUpdate: {} })).toBe('0.8')
    expect(detectVersion({ updateComponents: {} })).toBe('0.9')
    expect(detectVersion({ version: 'v1.0', updateComponents: {} })).toBe('1.0')
    expect([detectVersion({}), detectVersion(null)]).toEqual([null, null])
  })
})

test('SP-62: each field of an action', () => {
  const action = {
    name: 'n',
    surfaceId: 's',
    sourceComponentId: 'c',
    timestamp: '2026-01-05T08:00:00+01:00',
    context: { k: null },
  }
  const codes = (value: unknown) =>
    validateClientMessage(value).diagnostics.map(({ code, path }) => `${code} ${path}`)
  expect(validateClientMessage({ userAction: { ...action, more: [1] } }).message).toEqual({
    userAction: { ...action, more: [1] },
  })
  for (const name of Object.keys(action)) {
    const { [name as 'name']: _, ...rest } = action
    expect(codes({ userAction: rest })).toEqual([`missing_field /userAction/${name}`])
    // A number may be a time.
    const wrong = name === 'timestamp' ? true : 5
    expect(codes({ userAction: { ...action, [name]: wrong } })).toEqual([
      `invalid_type /userAction/${name}`,
    ])
  }
  for (const name of ['name', 'surfaceId', 'sourceComponentId']) {
    expect(codes({ userAction: { ...action, [name]: '' } })).toEqual([
      `invalid_value /userAction/${name}`,
    ])
  }
  for (const timestamp of ['2026-01-05', '2026-01-05T08:00:00', '2026-13-05T08:00:00Z', 'x']) {
    expect(codes({ userAction: { ...action, timestamp } })).toEqual([
      'invalid_value /userAction/timestamp',
    ])
  }
  expect(codes({ userAction: action, deleteSurface: {} })).toEqual(['unknown_key /deleteSurface'])
  expect(codes({ userAction: action, error: {} })).toEqual(['malformed_message '])
  expect(codes({ error: 5 })).toEqual(['invalid_type /error'])
  expect(codes({ error: {} })).toEqual([])
})

describe('HTML of each type', () => {
  const text = (literalString: string) => ({ literalString })
  const html: [component: object, expected: RegExp][] = [
    [{ Text: { text: text('a'), usageHint: 'h5' } }, /^<h5 [^>]*>a<\/h5>$/],
    [{ Text: { text: text('a'), usageHint: 'caption' } }, /^<p [^>]*>a<\/p>$/],
    [
      { Image: { url: text('https://h.example/a'), altText: text('b') } },
      /^<img [^>]*src="https:\/\/h.example\/a"[^>]* alt="b"/,
    ],
    [{ Icon: { name: text('home') } }, /^<span [^>]*data-icon="home"/],
    [{ Video: { url: text('https://h.example/a') } }, /^<video [^>]*src=/],
    [{ AudioPlayer: { url: text('https://h.example/a') } }, /^<audio [^>]*src=/],
    [
      { Row: { children: { explicitList: ['x'] } } },
      /^<div [^>]*><div class="sf-pending" data-id="x">/,
    ],
    [{ Column: { children: { explicitList: [] } } }, /^<div [^>]*><\/div>$/],
    [
      { List: { children: { explicitList: ['x'] } } },
      /^<ul [^>]*><li><div class="sf-pending"[^>]*><\/div><\/li><\/ul>$/,
    ],
    [{ Card: { child: 'x' } }, /^<div [^>]*><div class="sf-pending"/],
    [
      { Tabs: { tabItems: [{ title: text('a'), child: 'x' }] } },
      /<section><h3>a<\/h3><div class="sf-pending"/,
    ],
    [{ Divider: {} }, /^<hr [^>]*>$/],
    [
      { Modal: { entryPointChild: 'x', contentChild: 'y' } },
      /^<details [^>]*><summary>.*data-id="x".*<\/summary>.*data-id="y"/,
    ],
    [
      { Button: { child: 'x', action: { name: 'go' } } },
      /^<button [^>]*type="button" data-action="go"/,
    ],
    [
      { CheckBox: { label: text('a'), value: { literalBoolean: true } } },
      /^<label [^>]*><input type="checkbox" checked> a<\/label>$/,
    ],
    [
      { TextField: { label: text('a'), text: text('b') } },
      /^<label [^>]*>a<input type="text" value="b"><\/label>$/,
    ],
    [
      { TextField: { label: text('a'), text: text('<b'), textFieldType: 'longText' } },
      /<textarea>&lt;b<\/textarea>/,
    ],
    [
      { TextField: { label: text('a'), text: text('b'), textFieldType: 'obscured' } },
      /<input type="password">/,
    ],
    [{ DateTimeInput: { value: text('b'), enableTime: true } }, /<input type="datetime-local"/],
    [
      {
        MultipleChoice: {
          selections: { literalArray: ['v'] },
          options: [{ label: text('o'), value: 'v' }],
          maxAllowedSelections: 1,
        },
      },
      /^<select [^>]*><option value="v" selected>o<\/option><\/select>$/,
    ],
    [
      {
        MultipleChoice: {
          selections: { literalArray: [] },
          options: [{ label: text('o'), value: 'v' }],
        },
      },
      /<input type="checkbox" value="v"> o/,
    ],
    [
      { Slider: { value: { literalNumber: 3 }, minValue: 1, maxValue: 9 } },
      /<input type="range" min="1" max="9" value="3"/,
    ],
    [{ Other: { child: 'x', text: 'y' } }, /^<div [^>]*data-type="Other"[^>]*>.*data-id="x"/],
  ]
  for (const [component, expected] of html) {
    test(`SP-86: ${JSON.stringify(component).slice(0, 60)}`, () => {
      const store = createSurfaceStore({ mode: 'tolerant' })
      store.applyAll([
        { surfaceUpdate: { surfaceId: 's', components: [{ id: 'r', component }] } },
        { beginRendering: { surfaceId: 's', root: 'r' } },
      ])
      expect(renderSurfaceHtml(store, 's')).toMatch(expected)
    })
  }
})

describe('URLs in HTML', () => {
  const shown = (url: string, options: object) => {
    const store = createSurfaceStore()
    const component = { Image: { url: { path: 'u' } } }
    store.applyAll([
      { surfaceUpdate: { surfaceId: 's', components: [{ id: 'r', component }] } },
      { beginRendering: { surfaceId: 's', root: 'r' } },
    ])
    store.setData('s', '/u', url)
    const html = renderSurfaceHtml(store, 's', options)
    expect(html.includes('data-unsafe-url')).toBe(!html.includes(' src='))
    return / src="([^"]*)"/.exec(html)?.[1]
  }

  test('SP-87: relative URLs stay on the host', () => {
    const options = { relativeUrls: true }
    for (const url of ['a', '/a', './a?b#c', '?a']) expect(shown(url, options)).toBe(url)
    for (const url of [
      '//host.example/a',
      '\\\\host.example',
      '/\t/host.example',
      'a\\b',
      'x:y',
      '',
    ]) {
      expect(shown(url, options)).toBeUndefined()
    }
    expect(shown('a', {})).toBeUndefined()
  })

  test('SP-87: data URLs only when asked for, and only of four kinds of image', () => {
    for (const kind of ['png', 'jpeg', 'gif', 'webp']) {
      const url = `data:image/${kind};base64,AA==`
      expect(shown(url, { dataImages: true })).toBe(url)
      expect(shown(url, { relativeUrls: true })).toBeUndefined()
    }
    for (const kind of ['image/svg+xml', 'text/html', 'image/pngx']) {
      expect(shown(`data:${kind},x`, { dataImages: true })).toBeUndefined()
    }
  })

  test('SP-87: control characters and white space are taken out first', () => {
    expect(shown(' ht\ntps://host.example/a\u0000 ', {})).toBe('https://host.example/a')
    expect(shown('java\tscript:alert(1)', { relativeUrls: true, dataImages: true })).toBeUndefined()
    expect(shown('https://[', {})).toBeUndefined()
  })
})

test('SP-82: checks are dropped and reported', () => {
  const components = [{ id: 'root', component: 'Custom', checks: [{ call: 'required' }], a: 1 }]
  const { messages, diagnostics } = convertToV08([
    { version: 'v0.9', updateComponents: { surfaceId: 's', components } },
  ])
  expect(messages).toEqual([
    {
      surfaceUpdate: {
        surfaceId: 's',
        components: [{ id: 'root', component: { Custom: { a: 1 } } }],
      },
    },
  ])
  expect(diagnostics).toMatchObject([{ code: 'lossy_conversion', severity: 'warning' }])
})

test('SP-83, SX-21: fences without a language or with one that models give JSON, and no others', () => {
  const first = '{"deleteSurface":{"surfaceId":"a"}}'
  const kinds = (info: string) =>
    extractMessages(`\`\`\`${info}\n${first}\n${first}\n\`\`\`\n`).map(({ kind }) => kind)
  for (const info of ['', 'json', 'jsonl', 'json5', 'jsonc', 'js', 'python', 'a2ui', 'JSON']) {
    expect(kinds(info)).toEqual(['message', 'message'])
  }
  for (const info of ['ts', 'yaml', 'jsonnet', 'json title']) expect(kinds(info)).toEqual(['text'])
})

test('SP-82: a removal rewrites the nearest ancestor without the key', () => {
  const update = (path: string, more: object = {}) => ({
    version: 'v0.9',
    updateDataModel: { surfaceId: 's', path, ...more },
  })
  const value = { a: { b: { c: 1, d: 2 } } }
  const { messages } = convertToV08([update('/', { value }), update('/a/b/c')])
  expect(messages[1]).toEqual({
    dataModelUpdate: {
      surfaceId: 's',
      path: '/a',
      contents: [{ key: 'b', valueMap: [{ key: 'd', valueNumber: 2 }] }],
    },
  })
})

test('SP-82 SN-58: null in data becomes a missing key and is reported', () => {
  const value = { a: null, b: { c: null, d: 1 }, e: ['x', null, 'y'] }
  const { messages, diagnostics } = convertToV08([
    { version: 'v0.9', updateDataModel: { surfaceId: 's', path: '/', value } },
  ])
  const store = createSurfaceStore()
  store.applyAll(messages)
  expect(store.getData('s')).toEqual({ b: { d: 1 }, e: { 0: 'x', 2: 'y' } })
  expect(diagnostics).toMatchObject([{ code: 'lossy_conversion', related: ['null'] }])
})

test('SP-82: rendering begins once, however often the root is sent', () => {
  const components = [{ id: 'root', component: 'Divider' }]
  const sent = { version: 'v0.9', updateComponents: { surfaceId: 's', components } }
  const created = { version: 'v0.9', createSurface: { surfaceId: 's', catalogId: 'urn:x' } }
  const { messages } = convertToV08([created, sent, sent])
  expect(messages.map((message) => Object.keys(message).join())).toEqual([
    'surfaceUpdate',
    'beginRendering',
    'surfaceUpdate',
  ])
})
