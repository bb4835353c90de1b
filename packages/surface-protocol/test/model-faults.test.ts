import { describe, expect, test } from 'vitest'
import { basicCatalogV09 } from '@x/surface-protocol'
import {
  createMessageExtractor,
  extractMessages,
  parseBlock,
  repairJson,
  type ExtractedPart,
} from '@x/surface-protocol/llm'

const options = { version: '0.9.1', catalogs: [basicCatalogV09] } as const
const say = (body: object) => ({ version: 'v0.9.1', ...body })
const remove = (surfaceId: string) => say({ deleteSurface: { surfaceId } })
const data = (value: unknown) => say({ updateDataModel: { surfaceId: 's', path: '/x', value } })
const components = (...list: object[]) =>
  say({ updateComponents: { surfaceId: 's', components: list } })
const block = (raw: string) => `Hi\n<a2ui-json>\n${raw}\n</a2ui-json>\nbye`
const messagesOf = (text: string, more: object = {}) =>
  extractMessages(text, { ...options, ...more }).flatMap((part) =>
    part.kind === 'message' ? [part.message] : [],
  )
const errorsIn = (text: string, more: object = {}) =>
  extractMessages(text, { ...options, ...more }).flatMap((part) =>
    part.kind === 'error' ? [part] : [],
  )
const json = JSON.stringify

describe('repairs', () => {
  test.each<[string, string, unknown]>([
    ['single quotes', String.raw`{'a':'It\'s','b':'x "y" z'}`, { a: "It's", b: 'x "y" z' }],
    ['backtick string', '{"a":`one\ntwo`}', { a: 'one\ntwo' }],
    ['unquoted key', '{a_1:1,$b:2,null:3}', { a_1: 1, $b: 2, null: 3 }],
    ['python literal', '{"a":[True,False,None]}', { a: [true, false, null] }],
    [
      'inner quote',
      '{"a":"Press "Go", then "Stop"","b":1}',
      { a: 'Press "Go", then "Stop"', b: 1 },
    ],
    ['inner quote', '{"a":"a 5" screen"}', { a: 'a 5" screen' }],
    ['missing comma', '{"a":[1 2]\n"b":{"c":"d"}"e":1}', { a: [1, 2], b: { c: 'd' }, e: 1 }],
    ['duplicate comma', '{"a":[1,,2],,"b":3}', { a: [1, 2], b: 3 }],
    ['extra bracket', '{"a":[1]]}', { a: [1] }],
    ['missing bracket', '{"a":[{"b":1]}', { a: [{ b: 1 }] }],
    ['space character', '\ufeff{\u00a0"a"\u200b:\u30001}', { a: 1 }],
    ['full-width punctuation', '｛"a"：［1，2］｝', { a: [1, 2] }],
    ['escape', String.raw`{"a":"\x41\u{1F600}\U0001F600\_\d"}`, { a: String.raw`A😀😀_\d` }],
    ['lone surrogate', String.raw`{"a":"x\ud83d","b":"\ud83d\ude00"}`, { a: 'x\ufffd', b: '😀' }],
    ['string concatenation', '{"a":"b" +\n "c" + \'d\'}', { a: 'bcd' }],
    ['number form', '[.5,+1,2.,-.5]', [0.5, 1, 2, -0.5]],
    ['comment', '{"a":1, # one\n<!-- two -->"b":"# no"}', { a: 1, b: '# no' }],
    ['control character', '{"a":"b\tc\u0000"}', { a: 'b\tc\u0000' }],
  ])('SX-24: %s, %j', (name, raw, value) => {
    const found = repairJson(raw)
    expect(found.value).toEqual(value)
    expect(found.repairs).toContain(name)
  })

  test.each(['{"a":NaN}', '{"a":1,234}', '{"a":...}', '{"a":01}', '{"a":undefined}', '{"a":}'])(
    'SX-25: never repaired, %s',
    (raw) => {
      expect(() => repairJson(raw)).toThrow(expect.objectContaining({ code: 'malformed_json' }))
    },
  )

  test('SX-24: a quotation mark with two readings is an error', () => {
    const raw = '{"a":"b "c", "d": "e" f"}'
    expect(() => repairJson(raw)).toThrow(/two readings/)
  })

  test('SX-25: what looks like members is never taken into a text', () => {
    for (const raw of ['{"a":"b" NaN, "c":"d"}', '{"a":"b" x {"c":"d"}}', "{'a':'b' x, 'c':'d'}"]) {
      expect(() => repairJson(raw)).toThrow(expect.objectContaining({ code: 'malformed_json' }))
    }
  })

  test('SX-24: wrapper, encoded json, entities and version', () => {
    const list = [remove('a'), remove('b')]
    for (const key of ['messages', 'a2ui_operations', 'a2ui', 'a2ui_messages']) {
      expect(messagesOf(block(json({ [key]: list })))).toEqual(list)
    }
    expect(messagesOf(block(json(json(list))))).toEqual(list)
    expect(messagesOf(block(json(json(json(list)))))).toEqual(list)
    expect(messagesOf(block(json(list).replaceAll('"', '&#34;')))).toEqual(list)
    const bare = list.map(({ version: _, ...rest }) => rest)
    expect(messagesOf(block(json(bare)))).toEqual(list)
    expect(messagesOf(block(json(list).replaceAll('v0.9.1', '0.9.1')))).toEqual(list)
  })
})

describe('containers', () => {
  const list = [remove('a'), remove('b')]
  test.each([
    ['tag', `<A2UI-Json x="1" >${json(list)}<\\/a2ui-json>`],
    ['short tag', `<a2ui>\n${json(list)}</a2ui>`],
    ['open tag', `x <a2ui-json>${json(list)}`],
    ['fence', `~~~~JSON5\n${json(list)}\n~~~~\n`],
    ['python', `\`\`\`python\nmessages = ${json(list)}\nprint(json.dumps(messages))\n\`\`\`\n`],
    ['javascript', `\`\`\`js\nconst x = ${json(list)};\n\`\`\``],
    ['delimiter', `Hi\n---a2ui_JSON---\n${json(list)}`],
    ['bare list', `Hi\n${json(list, null, 2)}\nbye`],
    ['bare lines', `Hi\n${list.map((one) => json(one)).join('\n')}\nbye`],
    ['list markers', block(`- ${json(list[0])}\n> ${json(list[1])}`)],
    ['comments', block(`// {"no": 1}\n${json(list[0])} /* {} */ ... ${json(list[1])}`)],
  ])('SX-21 SX-23: %s', (_, text) => {
    expect(messagesOf(text)).toEqual(list)
  })

  test.each([
    `The message ${json(remove('a'))} deletes.`,
    '{"version": "1.2.3", "name": "package"}\n',
    '{"a": 1}\n',
    '<a2ui>root = Text("x")</a2ui>',
    '```js\nconst a = {}\n```\n',
    `<think>${block(json([remove('a')]))}</think>`,
    `<reasoning>\n${json(remove('a'))}\n</reasoning>`,
  ])('SX-21 SX-22: text stays text, %j', (text) => {
    expect(extractMessages(text, options)).toEqual([{ kind: 'text', text }])
  })
})

describe('faults', () => {
  test('SX-25 SX-29: a fault has its place, and the other messages are delivered', () => {
    const text = block(
      `[${json(remove('a'))},\n{"version":"v0.9.1","deleteSurface":NaN},\n${json(remove('b'))}]`,
    )
    expect(messagesOf(text)).toEqual([remove('a'), remove('b')])
    expect(errorsIn(text)).toMatchObject(
      [{ code: 'malformed_json', line: 4, column: 37, message: /^Line 4, column 37: a value/ }].map(
        (one) => ({ ...one, message: expect.stringMatching(one.message) }),
      ),
    )
    expect(errorsIn(text)[0]?.excerpt).toContain('⟨here⟩NaN')
  })

  test.each<[string, object, string]>([
    [
      'text on a Button',
      { component: 'Button', text: 'x', action: { event: { name: 'a' } } },
      'child',
    ],
    ['onClick', { component: 'Button', child: 'a', onClick: {} }, 'action'],
    ['src', { component: 'Image', src: 'a.png' }, 'url'],
    ['object form', { component: { Text: { text: 'x' } } }, 'Text'],
    ['literalString', { component: 'Text', text: { literalString: 'x' } }, 'plain string'],
    ['explicitList', { component: 'Column', children: { explicitList: ['a'] } }, 'array of ids'],
    ['props', { component: 'Text', props: { text: 'x' } }, 'beside'],
    ['action as a string', { component: 'Button', child: 'a', action: 'go' }, 'event'],
  ])('SX-30: %s', (_, component, hint) => {
    const [error] = errorsIn(block(json([components({ id: 'root', ...component })])))
    const hints = (error?.diagnostics ?? []).map((one) => `${one.componentId} ${one.hint}`)
    expect(hints.join('\n')).toContain(hint)
    expect(hints[0]).toContain('root')
  })

  test('SX-29: a wrong component is named with its type and place', () => {
    const button = {
      id: 'go',
      component: 'Button',
      label: 'x',
      child: 'a',
      action: { event: { name: 'a' } },
    }
    expect(errorsIn(block(json([components(button)])))[0]).toMatchObject({
      line: 3,
      message:
        'Component "go" (Button), /updateComponents/components/0/label: there is no property "label". Use "child".',
    })
  })

  test.each([
    { component: 'Image', url: 'java\nscript:alert(1)' },
    { component: 'Image', url: 'javascript&colon;alert(1)'.replace('&colon;', '&#58;') },
    { component: 'Image', url: 'data:text/html,x' },
    { component: 'Text', text: 'See [x](javascript:alert(1))' },
    {
      component: 'Button',
      child: 'a',
      action: { functionCall: { call: 'openUrl', args: { url: 'vbscript:x' } } },
    },
  ])('SX-36: %j is unsafe', (component) => {
    const text = block(json([components({ id: 'root', ...component })]))
    expect(errorsIn(text)).toMatchObject([{ code: 'unsafe_url' }])
    expect(messagesOf(text, { unsafeUrls: 'allow' })).toHaveLength(1)
  })

  test('SX-31: an update of a surface that nobody created', () => {
    const text = block(json([data(1)]))
    expect(errorsIn(text, { complete: true })).toMatchObject([{ code: 'surface_not_found' }])
    expect(messagesOf(text, { complete: true, surfaces: ['s'] })).toEqual([data(1)])
    const parse = () => parseBlock(json([data(1)]), { ...options, complete: true })
    expect(parse).toThrow(expect.objectContaining({ code: 'surface_not_found' }))
  })
})

test('SX-26: any cut gives the same parts, and small pieces cost no more', () => {
  const text = `Hi\n<think>{</think>\n~~~json\n{version:"v0.9.1","deleteSurface":{'surfaceId':"a"}}\n~~~\nso\n${json(remove('b'))}\nbye {x\n${block(`[{“version”:"0.9.1" "deleteSurface":{"surfaceId":"c "d" e",}}, {"version":"v0.9.1","updateDataModel":NaN}, ${json(remove('f'))}`)}`
  const rest = (parts: ExtractedPart[]) => parts.filter(({ kind }) => kind !== 'text')
  const words = (parts: ExtractedPart[]) =>
    parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  const whole = extractMessages(text, options)
  expect(rest(whole).map(({ kind }) => kind)).toEqual([
    'message',
    'message',
    'message',
    'error',
    'message',
  ])
  for (let size = 1; size < text.length; size += size < 12 ? 1 : 7) {
    const extractor = createMessageExtractor(options)
    const parts: ExtractedPart[] = []
    for (let at = 0; at < text.length; at += size) {
      parts.push(...extractor.push(text.slice(at, at + size)))
    }
    parts.push(...extractor.end())
    expect(rest(parts)).toEqual(rest(whole))
    expect(words(parts)).toBe(words(whole))
  }
  for (const piece of ['"', "'", '{', '\\"', '/*', '"x" y ', '[', '{"a":"b', '&quot;']) {
    const extractor = createMessageExtractor(options)
    extractor.push('<a2ui-json>{"createSurface":{"a":')
    for (let count = 0; count < 1000; count += 1) extractor.push(piece)
    expect(() => extractor.end()).not.toThrow()
  }
})

test('SX-23: a lone slash between messages takes nothing from later comments', () => {
  const message = (surfaceId: string) =>
    JSON.stringify({ version: 'v0.9.1', deleteSurface: { surfaceId } })
  const raw = `[/ # ${message('in a comment')}\n${message('s')}]`
  const { messages } = parseBlock(raw, { version: '0.9.1' })
  expect(messages.map((one) => JSON.stringify(one))).toEqual([message('s')])
})

describe('SX-25: no text and no key takes in what looks like members or elements', () => {
  const whole = { version: 'v0.9.1', updateDataModel: { surfaceId: 's', path: '/a', value: 0 } }
  const read = (value: string) =>
    extractMessages(`<a2ui-json>${JSON.stringify(whole).replace(':0', `:${value}`)}</a2ui-json>`, {
      version: '0.9.1',
    })

  test.each([
    '{"a" "b","c":1}',
    '{"a"="b","c":1}',
    '{"a:1,"c":1}',
    '{"a"true,"c":1}',
    '["x,"y"]',
    '["x",y"]',
    '["x""y"]',
    '["x,\n "y"]',
  ])('%s is an error', (value) => {
    expect(read(value).map(({ kind }) => kind)).toEqual(['error'])
  })

  test.each([
    ['"the "big", "red" one"', 'the "big", "red" one'],
    ['"say "Hi""', 'say "Hi"'],
    [`{'it's': "5" long"}`, { "it's": '5" long' }],
  ])('%s is read', (value, wanted) => {
    const [part] = read(value)
    expect(part).toMatchObject({ kind: 'message', message: { updateDataModel: { value: wanted } } })
  })
})
