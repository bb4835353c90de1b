import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { basicCatalogV09 } from '@x/surface-protocol'
import { extractMessages } from '@x/surface-protocol/llm'

const options = { version: '0.9.1', catalogs: [basicCatalogV09] } as const
const catalogId = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
const say = (body: object) => ({ version: 'v0.9.1', ...body })
const create = say({ createSurface: { surfaceId: 's', catalogId } })
const surface = (text: string): object[] => [
  create,
  say({
    updateComponents: {
      surfaceId: 's',
      components: [
        { id: 'root', component: 'Column', children: ['t', 'f', 'b'] },
        { id: 't', component: 'Text', text, variant: 'h2' },
        { id: 'f', component: 'Slider', label: 'Amount', min: 0, max: 10, value: { path: '/n' } },
        { id: 'b', component: 'Button', child: 'bl', action: { event: { name: 'go' } } },
        { id: 'bl', component: 'Text', text: 'Go' },
      ],
    },
  }),
  say({ updateDataModel: { surfaceId: 's', path: '/x', value: [true, false, null, 1.5, ''] } }),
]

/** Texts as users see them. */
const texts = [
  'Hello',
  "It's on",
  'Salt & pepper, 5 < 6',
  'Zürich – 你好',
  'one\ntwo',
  'a: b, c; {d} [e]',
  String.raw`C:\temp`,
  'https://example.org/a?b=c#d // no comment',
  'say "yes"',
  'None, True # not a comment',
  '',
]

type Write = (messages: readonly object[]) => string
const one: Write = (messages) => JSON.stringify(messages)
const pretty: Write = (messages) => JSON.stringify(messages, null, 2)
const lines: Write = (messages) => messages.map((message) => JSON.stringify(message)).join('\n')
const forms = { one, pretty, lines }

/** Changes the JSON outside strings. */
const outside = (json: string, change: (code: string) => string): string =>
  json
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((piece, at) => (at % 2 === 1 ? piece : change(piece)))
    .join('')
/** Changes the strings, marks included. */
const inside = (json: string, change: (string: string, isKey: boolean) => string): string => {
  const pieces = json.split(/("(?:[^"\\]|\\.)*")/)
  return pieces
    .map((piece, at) =>
      at % 2 === 0 ? piece : change(piece, pieces[at + 1]?.startsWith(':') === true),
    )
    .join('')
}
const content = (string: string) => string.slice(1, -1)
const single = (string: string) =>
  `'${content(string)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
const python = (json: string) =>
  outside(json, (code) =>
    code.replace('true', 'True').replace('false', 'False').replace('null', 'None'),
  )

type Change = (json: string, messages: readonly object[]) => string
const kinds: Record<string, Change> = {
  clean: (json) => json,
  'single quotes': (json) => inside(json, single),
  'single quotes, values only': (json) => inside(json, (s, isKey) => (isKey ? s : single(s))),
  'single quotes, keys only': (json) => inside(json, (s, isKey) => (isKey ? single(s) : s)),
  'python dict': (json) => python(inside(json, single)),
  'python dict with spaces': (json) =>
    python(
      inside(
        outside(json, (code) => code.replaceAll(',', ', ').replaceAll(':', ': ')),
        single,
      ),
    ),
  'python literals': python,
  'unquoted keys': (json) => inside(json, (s, isKey) => (isKey ? content(s) : s)),
  javascript: (json) => inside(json, (s, isKey) => (isKey ? content(s) : single(s))),
  'backtick strings': (json) =>
    inside(json, (s, isKey) =>
      isKey
        ? s
        : `\`${content(s)
            .replaceAll('`', '\\`')
            .replaceAll(String.raw`\"`, '"')}\``,
    ),
  'typographic quotes': (json) =>
    inside(json, (s) => (s.includes(String.raw`\"`) ? s : `\u201c${content(s)}\u201d`)),
  'low typographic quotes': (json) =>
    inside(json, (s) => (s.includes(String.raw`\"`) ? s : `\u201e${content(s)}\u201c`)),
  'trailing commas': (json) => outside(json, (code) => code.replaceAll(/([}\]])/g, ',$1')),
  'missing commas between members': (json) =>
    outside(json, (code) => code.replaceAll(/,(\s*)$/g, '$1')),
  'missing commas between objects': (json) =>
    outside(json, (code) => code.replaceAll(/\},(\s*)\{/g, '}$1{')),
  'duplicate commas': (json) => outside(json, (code) => code.replaceAll(',', ',,')),
  'hash comments': (json) => outside(json, (code) => code.replaceAll(',\n', ', # next, "one"\n')),
  'slash comments': (json) => outside(json, (code) => code.replaceAll(',\n', ", // it's next\n")),
  'block comments': (json) => outside(json, (code) => code.replaceAll(',', ', /* "a": {1} */')),
  'html comments': (json) => outside(json, (code) => code.replaceAll(',', ',<!-- x -->')),
  'no closers': (json) => json.replace(/[\s}\]]+$/, ''),
  'no last closer': (json) => json.trimEnd().replace(/[}\]]$/, ''),
  'an extra closer': (json) => `${json}}`,
  'extra closers': (json) => `${json}]}]`,
  'extra closers with commas': (json) => `${json},`,
  'no-break spaces': (json) =>
    outside(json, (code) => code.replaceAll(':', ':\u00a0').replaceAll(' ', '\u00a0')),
  'ideographic spaces': (json) => outside(json, (code) => code.replaceAll(':', ':\u3000')),
  'a byte order mark': (json) => `\ufeff${json}`,
  'zero width spaces': (json) => outside(json, (code) => code.replaceAll(',', ',\u200b')),
  'full-width punctuation': (json) =>
    outside(json, (code) => code.replaceAll(':', '：').replaceAll(',', '，')),
  'full-width brackets': (json) =>
    outside(json, (code) =>
      code.replaceAll('{', '｛').replaceAll('}', '｝').replaceAll('[', '［').replaceAll(']', '］'),
    ),
  'html entities': (json) =>
    json
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  'numbered entities': (json) =>
    json.replaceAll('&', '&#38;').replaceAll('"', '&#34;').replaceAll("'", '&#39;'),
  'raw control characters': (json) => json.replaceAll(/(?<!\\)\\n/g, '\n'),
  'escaped apostrophes': (json) => json.replaceAll("'", String.raw`\'`),
  'escaped markdown': (json) =>
    json
      .replaceAll('-', String.raw`\-`)
      .replaceAll('_', String.raw`\_`)
      .replaceAll(/\\-/g, '-'),
  'hexadecimal escapes': (json) =>
    inside(json, (s, isKey) => (isKey ? s : s.replace('H', String.raw`\x48`))),
  'braced escapes': (json) =>
    inside(json, (s, isKey) => (isKey ? s : s.replace('H', String.raw`\u{48}`))),
  'long escapes': (json) =>
    inside(json, (s, isKey) => (isKey ? s : s.replace('H', String.raw`\U00000048`))),
  'joined strings': (json) =>
    inside(json, (s, isKey) =>
      isKey || s.length < 7 || s.includes('\\') ? s : `${s.slice(0, 4)}" + "${s.slice(4)}`,
    ),
  'joined strings on two lines': (json) =>
    inside(json, (s, isKey) =>
      isKey || s.length < 7 || s.includes('\\') ? s : `${s.slice(0, 4)}" +\n    "${s.slice(4)}`,
    ),
  'number forms': (json) => json.replace('1.5', '+1.5').replace(':10,', ':10.,'),
  'encoded once': (json) => JSON.stringify(json),
  'encoded twice': (json) => JSON.stringify(JSON.stringify(json)),
  'each message encoded': (_, messages) => JSON.stringify(messages.map((m) => JSON.stringify(m))),
  'inner quotes': (json) =>
    inside(json, (s, isKey) => (isKey ? s : s.replaceAll(String.raw`\"`, '"'))),
  'no version': (json) => json.replaceAll(/"version":\s*"v0\.9\.1",?\s*/g, ''),
  'version without v': (json) => json.replaceAll('"v0.9.1"', '"0.9.1"'),
  'version v0.9': (json) => json.replaceAll('"v0.9.1"', '"v0.9"'),
  const: (json) => `const messages = ${json};`,
  'let with a type': (json) => `let ui: Message[] = ${json};`,
  'export default': (json) => `export default ${json};`,
  'module.exports': (json) => `module.exports = ${json};`,
  return: (json) => `return ${json};`,
  'json.dumps': (json) => `print(json.dumps(${json}, indent=2))`,
  'JSON.stringify': (json) => `JSON.stringify(${json}, null, 2)`,
  'JSON.parse': (json) => `JSON.parse(\`${json.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\`)`,
  'python assignment': (json) => `messages = ${python(json)}`,
  'json prefix': (json) => `json\n${json}`,
  'list markers': (_, messages) => messages.map((m) => `- ${JSON.stringify(m)}`).join('\n'),
  stars: (_, messages) => messages.map((m) => `* ${JSON.stringify(m)}`).join('\n'),
  numbers: (_, messages) => messages.map((m, i) => `${i + 1}. ${JSON.stringify(m)}`).join('\n'),
  'numbers with brackets': (_, messages) =>
    messages.map((m, i) => `${i + 1}) ${JSON.stringify(m)}`).join('\n'),
  'quotes of Markdown': (_, messages) => messages.map((m) => `> ${JSON.stringify(m)}`).join('\n'),
  semicolons: (_, messages) => messages.map((m) => `${JSON.stringify(m)};`).join('\n'),
  'three dots': (_, messages) =>
    `[${messages.map((m) => JSON.stringify(m)).join(', ...,\n')}, ...]`,
  'an ellipsis character': (_, messages) =>
    `[${messages.map((m) => JSON.stringify(m)).join(', …,\n')}]`,
  'data lines': (_, messages) => messages.map((m) => `data: ${JSON.stringify(m)}\n`).join('\n'),
  'words between': (_, messages) =>
    messages.map((m, i) => `Message ${i + 1}:\n${JSON.stringify(m)}`).join('\n'),
  'lists of one': (_, messages) => messages.map((m) => `[${JSON.stringify(m)}]`).join('\n'),
  messages: (json) => (json.startsWith('[') ? `{"messages": ${json}}` : json),
  a2ui_operations: (json) => (json.startsWith('[') ? `{"a2ui_operations": ${json}}` : json),
  a2ui_messages: (json) => (json.startsWith('[') ? `{"a2ui_messages": ${json}}` : json),
  'wrapped and single quoted': (json) =>
    json.startsWith('[') ? `{'messages': ${inside(json, single)}}` : json,
  'fence inside': (json) => `\`\`\`json\n${json}\n\`\`\``,
  cdata: (json) => `<![CDATA[${json}]]>`,
}

const containers: Record<string, (body: string) => string> = {
  tag: (body) => `Here it is.\n<a2ui-json>\n${body}\n</a2ui-json>\nBye`,
  'tag in upper case': (body) => `Hi <A2UI-JSON >${body}</A2UI-JSON>`,
  'tag with attributes': (body) => `<a2ui-json version="0.9.1">${body}</a2ui-json>`,
  'a2ui tag': (body) => `Sure:\n<a2ui>\n${body}\n</a2ui>`,
  'open tag': (body) => `<a2ui-json>\n${body}`,
  'escaped closing tag': (body) => `<a2ui-json>\n${body}\n<\\/a2ui-json>\nBye`,
  fence: (body) => `Here:\n\n\`\`\`json\n${body}\n\`\`\`\nBye`,
  'fence of tildes': (body) => `~~~\n${body}\n~~~`,
  'fence JSONL': (body) => `\`\`\`JSONL\n${body}\n\`\`\``,
  'tag in a fence': (body) => `\`\`\`\n<a2ui-json>\n${body}\n</a2ui-json>\n\`\`\``,
  delimiter: (body) => `Words\n---a2ui_JSON---\n${body}`,
  bare: (body) => `Here is the surface:\n\n${body}\n\nTell me if it fits.`,
}
/** What is a message within a tag, a fence or behind the delimiter only. */
const needsBlock =
  /entit|encoded|const|let |export|module|return|dumps|stringify|parse|assignment|prefix|marker|stars|numbers|quotes of|data lines|fence|cdata|between|dots|ellipsis|byte order|no closers|no last|extra/
const needsList =
  /const|let |export|module|return|dumps|stringify|parse|assignment|encoded|closer|wrapped|a2ui_|^messages/

/** Each kind in each form and container, with texts in turn. */
function variantsOf(
  kind: string,
  change: Change,
): { name: string; text: string; want: object[] }[] {
  const found: { name: string; text: string; want: object[] }[] = []
  for (const [form, write] of Object.entries(forms)) {
    if (form === 'lines' && needsList.test(kind)) continue
    // On one line this is no longer JSON with a missing comma only.
    if (form !== 'pretty' && kind === 'missing commas between members') continue
    for (const [container, wrap] of Object.entries(containers)) {
      if (container === 'bare' && needsBlock.test(kind)) continue
      if (container.startsWith('fence') && kind === 'fence inside') continue
      // What does not begin as JSON is text within this tag.
      if (
        container === 'a2ui tag' &&
        /const|let |export|module|return|dumps|stringify|parse|assignment|prefix|marker|stars|numbers|quotes of|data lines|between|cdata|byte order/.test(
          kind,
        )
      )
        continue
      const text = texts[(found.length * 7 + kind.length) % texts.length] ?? ''
      const messages = surface(text)
      const version = kind === 'version v0.9' ? 'v0.9' : 'v0.9.1'
      found.push({
        name: `${form}, ${container}, ${JSON.stringify(text)}`,
        text: wrap(change(write(messages), messages)),
        want: messages.map((message) => ({ ...message, version })),
      })
    }
  }
  return found
}

describe('what models write', () => {
  test.each(Object.entries(kinds))('SX-24: %s', (kind, change) => {
    const unread = variantsOf(kind, change).flatMap(({ name, text, want }) => {
      const parts = extractMessages(text, options)
      const messages = parts.flatMap((part) => (part.kind === 'message' ? [part.message] : []))
      const isRead =
        parts.every((part) => part.kind !== 'error') && isDeepStrictEqual(messages, want)
      return isRead ? [] : [name]
    })
    expect(unread).toEqual([])
  })
})
