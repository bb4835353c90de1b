import { describe, expect, test } from 'vitest'
import { basicCatalogV09, createSurfaceStore } from '@x/surface-protocol'
import { createRequestProcessor, express, type ExtractedPart } from '@x/surface-protocol/llm'
import { elemental } from '@x/surface-protocol/llm/elemental'
import { basicCatalogV1, v1 } from '@x/surface-protocol/v1'

const format = elemental()
const options = { version: '0.9.1' as const, catalogs: [basicCatalogV09] }

const read = (text: string, size = 1_000_000): ExtractedPart[] => {
  const parser = createRequestProcessor({ ...options, format }).createParser()
  const parts: ExtractedPart[] = []
  for (let at = 0; at < text.length; at += size) {
    parts.push(...parser.parseChunk(text.slice(at, at + size)))
  }
  return [...parts, ...parser.end()]
}
const messagesOf = (parts: readonly ExtractedPart[]) =>
  parts.flatMap((part) => (part.kind === 'message' ? [part.message as object] : []))
const errorsOf = (parts: readonly ExtractedPart[]) =>
  parts.flatMap((part) => (part.kind === 'error' ? [part.message] : []))
const viewAfter = (messages: readonly object[], id = 's') => {
  const store = createSurfaceStore(options)
  for (const message of messages) {
    const { diagnostics } = store.apply(message)
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  }
  const { components = [], data } = store.get(id) ?? {}
  return { data, components: components.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
}

describe('SX-51: what a document says', () => {
  test('properties of every kind of value', () => {
    const messages = format.compile(
      `<body id="s" send-data-model>
        <script type="application/json" path="{$/form}">{"name": "Ada", "tags": ["a"]}</script>
        <ui-column id="root">
          <ui-text-field id="name" label="Tom &amp; &quot;Jo&quot;" value="{$/form/name}"
            checks="{[required(message: 'It\\'s needed'), length(min: 2, message: 'Too short')]}" />
          <ui-slider id="s" min="1" max='5' value="3" label="{'{braces}'}" weight=2 />
          <ui-date-time-input id="d" value="" enable-date enableTime="false" />
          <ui-button id="b" on-click="{openUrl(url: 'https://host.example')}"><ui-text id="t" text="Go"/></ui-button>
          <ui-modal id="m"><ui-text id="x" slot="content" text="in" /><ui-text id="y" slot="trigger" text="open" /></ui-modal>
          <ui-choice-picker id="c" value="{$/form/tags}"><script type="application/json" slot="options">
            [{"label": "A", "value": "a"},]</script></ui-choice-picker>
        </ui-column>
      </body>
      <ui-delete-surface surface-id="old" />`,
      options,
    )
    const [created, data, update, deleted] = messages as Record<string, Record<string, unknown>>[]
    expect(created?.['createSurface']).toMatchObject({ surfaceId: 's', sendDataModel: true })
    expect(data?.['updateDataModel']).toMatchObject({ value: { form: { name: 'Ada' } } })
    expect(deleted).toEqual({ version: 'v0.9.1', deleteSurface: { surfaceId: 'old' } })
    const components = update?.['updateComponents']?.['components'] as { id: string }[]
    const byId = Object.fromEntries(components.map(({ id, ...rest }) => [id, rest]))
    expect(byId).toMatchObject({
      root: { children: ['name', 's', 'd', 'b', 'm', 'c'] },
      name: {
        label: 'Tom & "Jo"',
        checks: [
          { message: "It's needed", condition: { args: { value: { path: '/form/name' } } } },
          { message: 'Too short', condition: { args: { min: 2 } } },
        ],
      },
      s: { min: 1, max: 5, value: 3, label: '{braces}', weight: 2 },
      d: { enableDate: true, enableTime: false },
      b: { action: { functionCall: { call: 'openUrl' } }, child: 't' },
      m: { trigger: 'y', content: 'x' },
      c: { options: [{ label: 'A', value: 'a' }] },
    })
  })

  test('decompile writes what compiles to the same, also ids, texts and paths that are odd', () => {
    const components = [
      { id: 'root', component: 'Column', children: ['$1', 'a"b', 'twice', 'twice2', 'gone'] },
      { id: '$1', component: 'Text', text: '{not an expression}' },
      { id: 'a"b', component: 'Text', text: ' <b>&amp;</b>\\ \n' },
      { id: 'twice', component: 'Card', child: 'shared' },
      { id: 'twice2', component: 'Card', child: 'shared' },
      { id: 'shared', component: 'Text', text: { path: '/a-b/c' } },
      { id: 'list', component: 'List', children: { path: '/x-y', componentId: 'row' } },
      { id: 'row', component: 'Text', text: { path: 'na me' }, accessibility: { label: 'L' } },
      { id: 'tabs', component: 'Tabs', tabs: [{ title: 'T', child: 'list' }] },
      { id: 'num', component: 'Slider', max: 1e21, value: { path: '/n' } },
      {
        id: 'go',
        component: 'Button',
        child: 'shared',
        action: { event: { name: 'x', context: { 'k-k': { path: '/a/b' }, list: [1, 'two'] } } },
        checks: [{ condition: { path: '/ok' }, message: 'no' }],
      },
    ]
    const messages = [
      {
        version: 'v0.9.1',
        createSurface: { surfaceId: 's', catalogId: basicCatalogV09.catalogId },
      },
      {
        version: 'v0.9.1',
        updateDataModel: { surfaceId: 's', path: '/', value: { html: '</script>' } },
      },
      { version: 'v0.9.1', updateComponents: { surfaceId: 's', components } },
    ]
    const lost: string[] = []
    const text = format.decompile(messages, { ...options, onLoss: (path) => lost.push(path) })
    expect(lost).toEqual([])
    expect(viewAfter(format.compile(text, options))).toEqual(viewAfter(messages))
    expect(viewAfter(messagesOf(read(`<a2ui>${text}</a2ui>`, 3)))).toEqual(viewAfter(messages))
    const themed = { version: 'v0.9.1', createSurface: { surfaceId: 's', theme: {} } }
    format.decompile([themed], { ...options, onLoss: (path) => lost.push(path) })
    expect(lost).toEqual(['/0/createSurface/theme'])
  })

  test('1.0 has one message, and 0.8 none', () => {
    const [created] = format.compile(
      '<body id="s"><ui-text id="root" text="{$/a}" /><script>{"a": 1}</script></body>',
      { version: v1, catalogs: [basicCatalogV1] },
    )
    expect(created).toMatchObject({
      createSurface: { components: [{ text: { '@path': '/a' } }], dataModel: { a: 1 } },
    })
    expect(() => format.compile('', { ...options, version: '0.8' })).toThrow(TypeError)
  })

  test('it streams: the first component is there long before its parent ends', () => {
    const rows = Array.from({ length: 40 }, (_, i) => `<ui-text id="r${i}" text="row ${i}" />`)
    const text = `<a2ui><body id="s"><ui-column id="root">${rows.join('\n')}</ui-column></body></a2ui>`
    const parser = createRequestProcessor({ ...options, format }).createParser()
    const messages = messagesOf(parser.parseChunk(text.slice(0, 130)))
    expect(JSON.stringify(messages)).toContain('row 0')
    expect(messages[0]).toHaveProperty('createSurface')
    messages.push(...messagesOf(parser.parseChunk(text.slice(130))), ...messagesOf(parser.end()))
    expect(viewAfter(messages)).toEqual(viewAfter(format.compile(text.slice(6, -7), options)))
    expect(JSON.stringify(messages).length).toBeLessThan(8 * text.length)
  })
})

describe('SX-51: repairs and faults', () => {
  test.each([
    [
      'missing tag',
      '<body id="s"><ui-column id="root"><ui-text id="t" text="a" /><ui-text id="u" text="a" /><ui-text id="v" text="a" />',
    ],
    [
      'missing tag',
      '<body id="s"><ui-column id="root"><ui-text id="t" text="a" /><ui-text id="u" text="a" /><ui-text id="v" text="a"></ui-column></body>',
    ],
    ['unquoted attribute', '<body id=s><ui-text id="root" text=a /></body>'],
    ['tag', '<BODY id="s"><UI-Text id="root" text="a" /></Body>'],
    [
      'trailing comma',
      '<body id="s"><script>{"a": 1,}</script><ui-text id="root" text="a"/></body>',
    ],
  ])('%s: %s', (repair, text) => {
    const parts = read(`<a2ui>${text}</a2ui>`)
    expect(errorsOf(parts)).toEqual([])
    expect(parts.flatMap((part) => (part.kind === 'message' ? part.repairs : []))).toContain(repair)
    expect(viewAfter(messagesOf(parts)).components).not.toEqual([])
  })

  test.each([
    ['<ui-text text="no id" />', 'Line 2, column 1: "ui-text" needs an id.'],
    [
      '<ui-txt id="a" />',
      'Line 2, column 1: The catalog has no component type "Txt". Did you mean Text?',
    ],
    ['<div id="a"></div>', 'Line 2, column 1: There is no tag "div".'],
    ['<ui-text id="a" text="{nope(}" />', 'Line 2, column 17: In the attribute text: '],
    ['<ui-text id="a" text="x" class="y" />', 'Line 2, column 1: Component "a" (Text)'],
    ['<ui-modal id="a"><ui-text id="b" text="x" /></ui-modal>', 'needs slot="..."'],
    ['<script>{nothing</script>', 'Line 2, column 1: In the script: '],
    ['</ui-row>', 'Line 2, column 1: Nothing is open that </ui-row> closes.'],
    [
      '<ui-card id="a"><ui-text id="b" text="x" /><ui-text id="c" text="x" /></ui-card>',
      'holds one',
    ],
    ['words', 'Line 2, column 1: A tag expected.'],
  ])('%s', (wrong, message) => {
    const text = `<a2ui><body id="s"><ui-column id="root">\n${wrong}\n<ui-text id="after" text="x" /></ui-column></body></a2ui>`
    const errors = errorsOf(read(text))
    expect(errors[0]).toContain(message)
    expect(new Set(errors).size).toBe(errors.length)
    expect(errorsOf(read(text, 1))).toEqual(errors)
    expect(JSON.stringify(messagesOf(read(text)))).toContain('after')
    expect(() => format.compile(text.slice(6, -7), options)).toThrow(
      expect.objectContaining({ diagnostics: expect.arrayContaining([expect.anything()]) }),
    )
  })
})

test('SX-50: the prompt has each type, and examples as documents', () => {
  const prompt = format.generatePrompt({ ...options, messages: ['createSurface'] })
  for (const type of basicCatalogV09.types) expect(prompt).toContain(`${type}(`)
  expect(prompt).not.toContain('ui-delete-surface')
  expect(format.generatePrompt(options)).toContain('ui-delete-surface')
  expect(() => format.generatePrompt({ ...options, catalogs: [] })).toThrow(/needs a catalog/)
})

test('SX-52: damaged documents give parts in linear time', () => {
  const nasty = [
    '<ui-text id="',
    '<body ',
    '<!--',
    '{',
    "'",
    '<script>',
    '</',
    '<ui-column id="a">',
    'a="',
  ]
  for (const piece of nasty) {
    const begin = process.cpuUsage()
    read(`<a2ui>${piece.repeat(60_000 / piece.length)}`, 5000)
    const { user, system } = process.cpuUsage(begin)
    expect((user + system) / 1000).toBeLessThan(1500)
  }
})

test('SX-52: of thousands of faults in a program the first 1,000 are told', () => {
  const text = Array.from({ length: 5000 }, (_, i) => `nope${i}(b)`).join('\n')
  const program = express()
  const parser = createRequestProcessor({ ...options, format: program }).createParser()
  const parts = [
    ...parser.parseChunk(`<a2ui>\n${text}\nroot = Text("a")\n</a2ui>`),
    ...parser.end(),
  ]
  expect(errorsOf(parts)).toHaveLength(1000)
  expect(messagesOf(parts)).toHaveLength(2)
  expect(() => program.compile(text, options)).toThrow(
    expect.objectContaining({ diagnostics: expect.objectContaining({ length: 1000 }) }),
  )
})
