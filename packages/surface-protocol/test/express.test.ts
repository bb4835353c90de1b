import { describe, expect, test } from 'vitest'
import {
  basicCatalogIds,
  basicCatalogV09,
  createSurfaceStore,
  isSurfaceError,
  validateMessage,
  type SurfaceDiagnostic,
} from '@x/surface-protocol'
import { pruneCatalog } from '@x/surface-protocol/catalog'
import {
  createRequestProcessor,
  express,
  runWithRecovery,
  type ExtractedPart,
} from '@x/surface-protocol/llm'
import { basicCatalogV1, v1 } from '@x/surface-protocol/v1'

const options = { version: '0.9.1', catalogs: [basicCatalogV09] } as const
const format = express()
const processor = createRequestProcessor({ ...options, format })

const program = `$/title = "Book a table"
$/guests = 2
$/slots = [{at: "19:00"}, {at: "20:00"}]
root = Column([heading, guests, List(_template($/slots, slot)), Tabs([{title: "A", child: Text("in a map")}]), go])
heading = Text($/title, "h1")
guests = Slider("Guests", 1, 8, $/guests, ?numeric(1, 8, "1 to 8"))
slot = Card(Text($at))
go = Button(Text(label), "primary", Event("book", {guests: $/guests}), id="go-1")
label = "Book"
surface("other")
root = Text("second")
$/x = [1, 2.5, -3, null, true]`

function parts(text: string, size = text.length, more: object = {}): ExtractedPart[] {
  const parser = processor.createParser(more)
  const found: ExtractedPart[] = []
  for (let at = 0; at < text.length; at += size) {
    for (const part of parser.parseChunk(text.slice(at, at + size))) found.push(part)
  }
  return [...found, ...parser.end()]
}
const answer = (text: string) => `Sure.\n<a2ui>\n${text}\n</a2ui>\nBye`
const errorsIn = (text: string) => parts(answer(text)).filter((part) => part.kind === 'error')
const messagesIn = (text: string) =>
  parts(answer(text)).flatMap((part) => (part.kind === 'message' ? [part.message as object] : []))

function storeOf(messages: readonly unknown[]) {
  const store = createSurfaceStore({ version: '0.9.1' })
  const found = messages.flatMap((message) => store.apply(message).diagnostics)
  expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
  return store
}
/** What a store shows, without the order of components. */
function shown(messages: readonly unknown[]): unknown {
  const store = storeOf(messages)
  return store.surfaceIds().map((id) => ({ id, tree: store.tree(id), data: store.getData(id) }))
}

function refused(text: string): readonly SurfaceDiagnostic[] {
  try {
    format.compile(text, options)
  } catch (error) {
    if (isSurfaceError(error)) return error.diagnostics
  }
  return []
}

describe('compile', () => {
  test('SX-43: a program compiles to valid messages, never for 0.8', () => {
    const messages = format.compile(program, options)
    for (const message of messages) {
      expect(
        validateMessage(message, { ...options, catalogs: [basicCatalogV09] }).diagnostics,
      ).toEqual([])
    }
    expect(messages.map((message) => Object.keys(message)[1])).toEqual([
      'createSurface',
      'updateDataModel',
      'updateComponents',
      'createSurface',
      'updateDataModel',
      'updateComponents',
    ])
    expect(() => format.compile(program, { ...options, version: '0.8' })).toThrow(TypeError)
    expect(() => express({ version: 'express-2' as 'express-1' })).toThrow(TypeError)
  })

  test('SX-45: inline components, templates, checks and names', () => {
    const text = `root = Column([Text("a", id="x y"), Row([Text("b")]), picker, List(_template($/rows, Text($n)))])
picker = ChoicePicker("C", _, ["a", {label: "B", value: "b"}], $/c, checks=[?required, ?length(1, 5, "1 to 5")])`
    const [, update] = format.compile(text, options) as [
      object,
      { updateComponents: { components: { id: string }[] } },
    ]
    const byId = Object.fromEntries(update.updateComponents.components.map((one) => [one.id, one]))
    expect(byId['root']).toMatchObject({
      children: ['x y', 'root_children_1', 'picker', 'root_children_3'],
    })
    expect(byId['root_children_3']).toMatchObject({
      children: { path: '/rows', componentId: '_inline_1' },
    })
    expect(byId['picker']).toMatchObject({
      options: [
        { label: 'a', value: 'a' },
        { label: 'B', value: 'b' },
      ],
      checks: [
        {
          condition: { call: 'required', args: { value: { path: '/c' } } },
          message: 'Required check failed',
        },
        {
          condition: { call: 'length', args: { value: { path: '/c' }, min: 1, max: 5 } },
          message: '1 to 5',
        },
      ],
    })
  })

  test('SX-46: an update sets path by path; as the SDK the whole model', () => {
    const text = 'surface("s")\n$/a = 1\n$/b/c = 2'
    expect(format.compile(text, options)).toMatchObject([
      { updateDataModel: { path: '/a', value: 1 } },
      { updateDataModel: { path: '/b/c', value: 2 } },
    ])
    expect(express({ compat: 'sdk-0.9' }).compile(text, options)).toMatchObject([
      { updateDataModel: { path: '/', value: { a: 1, b: { c: 2 } } } },
    ])
    expect(format.compile('root = Tabs([{title: $/t, child: "x"}])', options)).toHaveLength(2)
    expect(refused('root = Button("l", action="go")').length).toBeGreaterThan(0)
    expect(refused('root = Button("l", action=openUrl(formatString("x")))').length).toBeGreaterThan(
      0,
    )
  })

  test('SX-43a: all faults are reported with their places', () => {
    const text =
      'root = Column([a, b])\na = Txt("x")\nb = Text("y", titel="z")\nc = hello world\nd = Text(hello)'
    const found = refused(text)
    expect(found.map(({ code, line }) => [code, line])).toEqual([
      ['malformed_program', 4],
      ['invalid_component_type', 2],
      ['malformed_program', 5],
      ['invalid_property', 3],
    ])
    expect(found[1]?.hint).toBe('Text')
    expect(found[2]?.hint).toContain('Text("...")')
    expect(refused('')).toMatchObject([{ code: 'missing_root' }])
  })

  test('SX-52: names that multiply are bounded', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `n${at} = [n${at + 1}, n${at + 1}]`)
    const found = refused(`${lines.join('\n')}\nn40 = 1\n$/x = n0\nroot = Text("a")`)
    expect(found[0]).toMatchObject({ code: 'limit_exceeded' })
    expect(refused('a = [a]\n$/x = a\nroot = Text("a")')).toMatchObject([
      { code: 'circular_reference' },
    ])
    expect(refused(`root = Text(${'['.repeat(5000)}`)).toMatchObject([{ code: 'limit_exceeded' }])
  })
})

describe('streaming', () => {
  test('SX-47: for any cut the surfaces are those of the whole program', () => {
    const whole = shown(format.compile(program, options))
    for (const size of [1, 3, 5, 17, 100, 10_000]) {
      const found = parts(answer(program), size)
      expect(found.filter((part) => part.kind === 'error')).toEqual([])
      expect(
        shown(found.flatMap((part) => (part.kind === 'message' ? [part.message] : []))),
      ).toEqual(whole)
    }
  })

  test('SX-47: for any order of statements', () => {
    const [first = ''] = program.split('\nsurface')
    const lines = first.split('\n')
    const whole = shown(format.compile(first, options))
    for (let turn = 0; turn < lines.length; turn += 1) {
      const turned = [...lines.slice(turn), ...lines.slice(0, turn)].toReversed().join('\n')
      expect(shown(messagesIn(turned))).toEqual(whole)
    }
  })

  test('SX-47: the heading is there when its statement is', () => {
    const parser = processor.createParser()
    const begun = '<a2ui>\nroot = Column([a, b])\na = Text("Hello", "h1")\n'
    const found = parser.parseChunk(begun)
    expect(found.map((part) => part.kind)).toEqual(['message', 'message', 'message'])
    const more = parser.parseChunk('b = Text("Wor')
    expect(more).toEqual([])
    expect(parser.parseChunk('ld")\n')).toHaveLength(1)
  })
})

describe('repairs', () => {
  const wanted = format.compile(
    'root = Column([a, b])\na = Text("x, y")\nb = Text("z", "h1")',
    options,
  )
  test.each<[string, string]>([
    ['single quotes', "root = Column([a, b])\na = Text('x, y')\nb = Text('z', 'h1')"],
    ['typographic quotes', 'root = Column([a, b])\na = Text(“x, y”)\nb = Text("z", “h1”)'],
    ['full-width punctuation', 'root = Column（［a，b］）\na = Text("x, y")\nb = Text("z"，"h1")'],
    [
      'space character',
      'root =\u00a0Column([a, b])\na\u200b = Text("x, y")\nb = Text("z",\u3000"h1")',
    ],
    ['missing bracket', 'root = Column([a, b]\na = Text("x, y"\nb = Text("z", "h1")'],
    ['missing bracket', 'root = Column([a, b)\na = Text("x, y")\nb = Text("z", "h1"'],
    [
      'colon argument',
      'root = Column([a, b])\na = Text(text: "x, y")\nb = Text("z", variant: "h1")',
    ],
    [
      'missing comma',
      'root = Column([\n  a\n  b\n])\na = Text("x, y")\nb = Text(\n  "z"\n  variant="h1"\n)',
    ],
  ])('SX-49: %s', (name, text) => {
    const found = parts(answer(text))
    expect(found.filter((part) => part.kind === 'error')).toEqual([])
    expect(found.flatMap((part) => (part.kind === 'message' ? part.repairs : []))).toContain(name)
    expect(shown(messagesIn(text))).toEqual(shown(wanted))
  })

  test('SX-49: python literals, tags in other case, fences', () => {
    const text = 'surface("s", sendDataModel=True)\nroot = Text("a")\n$/x = [None, False]'
    expect(messagesIn(text)).toHaveLength(3)
    const found = parts('<A2UI lang="x">\n```\nroot = Text("a")\n```\n</A2UI>')
    expect(found.flatMap((part) => (part.kind === 'message' ? part.repairs : []))).toContain('tag')
    expect(found.some((part) => part.kind === 'error')).toBe(false)
  })

  test('SX-49: what is never repaired, with its place in the whole text', () => {
    expect(errorsIn('root = Text(hello)')).toMatchObject([
      { code: 'malformed_program', line: 3, column: 13 },
    ])
    expect(errorsIn('root = Text("a", "H1")')).toMatchObject([
      { code: 'invalid_property_value', line: 3, diagnostics: [{ hint: 'h1' }] },
    ])
    const found = parts(answer('root = Column([a])\nHere is the text:\na = Text("x")'))
    expect(found.map((part) => part.kind)).toEqual([
      'text',
      'message',
      'message',
      'error',
      'message',
      'text',
    ])
    expect(found[3]).toMatchObject({ line: 4 })
  })

  test('SX-43a: JSON in either tag is read too, thoughts are text', () => {
    const [create, update] = format.compile('root = Text("a")', options)
    const json = JSON.stringify([create, update])
    for (const text of [`<a2ui>${json}</a2ui>`, `<a2ui-json>\n${json}\n</a2ui-json>`]) {
      const found = parts(text, 7)
      expect(found.map((part) => part.kind === 'message' && part.message)).toEqual([create, update])
      expect(found[0]).toMatchObject({ repairs: ['other format'] })
    }
    const thoughts = `<think>\n<a2ui>\nroot = Text("draft")\n</a2ui></think>\n`
    expect(
      parts(thoughts + answer('root = Text("a")'), 5).filter((part) => part.kind === 'message'),
    ).toHaveLength(2)
  })

  test('SX-36: a program brings no unsafe address', () => {
    expect(errorsIn('root = Image("javascript:alert(1)")')).toMatchObject([{ code: 'unsafe_url' }])
    expect(errorsIn('u = "java\\nscript:alert(1)"\nroot = Image(u)')).toMatchObject([
      { code: 'unsafe_url' },
    ])
    expect(errorsIn('root = Button(Text("a"), action=openUrl("data:text/html,x"))')).toMatchObject([
      { code: 'unsafe_url' },
    ])
  })
})

describe('decompile', () => {
  test('SX-48: what was compiled compiles to the same again', () => {
    const messages = format.compile(program, options)
    const text = format.decompile(messages, options)
    expect(shown(format.compile(text, options))).toEqual(shown(messages))
    expect(format.decompile(format.compile(text, options), options)).toBe(text)
  })

  test('SX-48: keys, paths, ids and texts of any form; what is lost is named', () => {
    const lost: string[] = []
    const messages = [
      {
        version: 'v0.9.1',
        createSurface: { surfaceId: 's-1', catalogId: basicCatalogIds[0], theme: {} },
      },
      {
        version: 'v0.9.1',
        updateDataModel: {
          surfaceId: 's-1',
          value: { 'a-b': { c: 1e-7, d: 1e21 }, e: ['\\d+', 'q"\n\t\r'] },
        },
      },
      {
        version: 'v0.9.1',
        updateComponents: {
          surfaceId: 's-1',
          components: [
            { id: 'root', component: 'Column', children: ['main-col', '1', 'true'] },
            {
              id: 'main-col',
              component: 'Text',
              text: { path: '/a-b/c' },
              accessibility: { label: 'L' },
            },
            { id: '1', component: 'Text', text: 'C:\\temp\\' },
            { id: 'true', component: 'Text', text: 'a', weight: 2 },
          ],
        },
      },
    ]
    const text = format.decompile(messages, { ...options, onLoss: (path) => lost.push(path) })
    expect(lost).toEqual([
      '/0/createSurface/theme',
      '/2/updateComponents/components/1/accessibility',
    ])
    expect(text).not.toMatch(/\de[+-]?\d/)
    const again = format.compile(text, options)
    const plain = JSON.parse(JSON.stringify(messages)) as typeof messages
    delete (plain[2] as { updateComponents: { components: { accessibility?: object }[] } })
      .updateComponents.components[1]?.accessibility
    expect(shown(again)).toEqual(shown(plain))
  })

  test('SX-43a: blocks are split and joined', () => {
    const text =
      'Hi.\n<a2ui>\nroot = Text("</a2ui>")\n</a2ui>\nBye.\n<a2ui x="1">```\nroot = Text("b")\n```'
    const blocks = format.unwrap(text)
    expect(blocks).toEqual([
      { kind: 'text', text: 'Hi.' },
      { kind: 'block', raw: 'root = Text("</a2ui>")' },
      { kind: 'text', text: 'Bye.' },
      { kind: 'block', raw: 'root = Text("b")', truncated: true },
    ])
    expect(format.unwrap(format.wrap(blocks))).toEqual(blocks)
  })
})

describe('prompt', () => {
  test('SX-50: signatures in order, functions, tags, and nothing that was pruned', () => {
    const { promptSnippet } = processor
    for (const part of [
      '<a2ui>',
      '</a2ui>',
      'Text(text',
      'Column(children',
      'formatString(value)',
      basicCatalogV09.catalogId,
    ]) {
      expect(promptSnippet).toContain(part)
    }
    expect(promptSnippet).toContain(
      'Button(child: component, variant?: default|primary|borderless, action, checks?, weight?',
    )
    expect(createRequestProcessor({ ...options, format }).promptSnippet).toBe(promptSnippet)
    const catalogs = [
      pruneCatalog(basicCatalogV09, { components: ['Text', 'Column'], functions: [] }),
    ]
    const pruned = format.generatePrompt({
      version: '0.9.1',
      catalogs,
      messages: ['createSurface'],
    })
    expect(pruned).not.toMatch(/Button\(|formatString\(|deleteSurface/)
    expect(() => format.generatePrompt({ version: '0.9.1', catalogs: [] })).toThrow(
      expect.objectContaining({ code: 'invalid_catalog' }),
    )
    const examples = [format.compile(program, options)]
    expect(format.generatePrompt({ ...options, examples })).toContain(
      'heading = Text($/title, "h1")',
    )
    expect(promptSnippet.length).toBeLessThan(5500)
  })
})

describe('hostile answers', () => {
  test('SX-52: nothing throws, and each gives parts', () => {
    const pieces = [
      'root',
      ' = ',
      'Text(',
      '"',
      "'",
      '"""',
      '[',
      '{',
      ')',
      ']',
      '}',
      '$/a',
      '$',
      '?',
      ',',
      ':',
      '\n',
      '\\',
      '<a2ui>',
      '</a2ui>',
      '/*',
      '#',
      '`',
      '```',
      '_',
      '1e',
      '-',
      'r"',
      '<',
      'surface("s")',
      '\ud800',
    ]
    let state = 7
    const next = (limit: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * limit)
    }
    for (let turn = 0; turn < 100; turn += 1) {
      const text = Array.from({ length: next(40) }, () => pieces[next(pieces.length)]).join('')
      expect(Array.isArray(parts(answer(text), 1 + next(30)))).toBe(true)
      const at = next(program.length)
      const damaged =
        program.slice(0, at) + (pieces[next(pieces.length)] ?? '') + program.slice(at + next(5))
      expect(parts(answer(damaged)).length).toBeGreaterThan(0)
      refused(damaged)
    }
  })

  test('SX-52: limits hold', () => {
    const tight = createRequestProcessor({ ...options, format, limits: { lineBytes: 2000 } })
    const text = `<a2ui>\nroot = Text("${'x'.repeat(5000)}")\n</a2ui>\nBye`
    expect(tight.parseResponse(text)).toMatchObject([
      { kind: 'error', code: 'limit_exceeded' },
      { kind: 'text' },
    ])
  })
})

test('SX-34: a loop over programs asks again with line and reason', async () => {
  const answers = [
    'root = Column([a])\na = Txt("x")',
    'root = Column([a])',
    'root = Column([a])\na = Text("x")',
  ]
  const turns: string[] = []
  const store = createSurfaceStore({ version: '0.9.1' })
  const result = await runWithRecovery({
    processor: createRequestProcessor({ ...options, format, store }),
    generate({ attempt, errorTurn }) {
      turns.push(errorTurn)
      return answer(answers[attempt - 1] ?? '')
    },
  })
  expect(result.ok).toBe(true)
  expect(turns[1]).toContain('Txt')
  expect(turns[1]).toContain('- line 4, invalid_component_type')
  expect(turns[1]).not.toContain('2 times')
  expect(turns[2]).toContain('missing_child')
  expect(store.surfaceIds()).toEqual(['main'])
})

test('SX-45: version 1.0 tags paths and calls', () => {
  const [message] = format.compile('$/a = 1\nroot = Text(formatNumber($/a))', {
    version: v1,
    catalogs: [basicCatalogV1],
  })
  expect(message).toMatchObject({
    createSurface: {
      components: [{ text: { '@call': 'formatNumber', args: { value: { '@path': '/a' } } } }],
      dataModel: { a: 1 },
    },
  })
})
