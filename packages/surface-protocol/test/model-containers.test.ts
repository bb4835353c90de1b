import { describe, expect, test } from 'vitest'
import { basicCatalogV09 } from '@x/surface-protocol'
import { createMessageExtractor, extractMessages } from '@x/surface-protocol/llm'

const options = { version: '0.9.1', catalogs: [basicCatalogV09] } as const
const catalogId = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
const C = JSON.stringify({ version: 'v0.9.1', createSurface: { surfaceId: 'm', catalogId } })
const text = (words: string) =>
  `{"version":"v0.9.1","updateComponents":{"surfaceId":"m","components":[{"id":"root","component":"Text","text":${words}}]}}`
const U = text('"Hello"')
const tag = (inside: string, more = '') => `Hi\n<a2ui-json${more}>${inside}</a2ui-json>\nbye`
const fence = (info: string, inside: string) => `Here:\n\`\`\`${info}\n${inside}\n\`\`\`\nbye`
const escaped = (json: string) => json.replaceAll('"', String.raw`\"`)
const german = (json: string) => json.replaceAll(/"(.*?)"/g, '„$1“')

/** Outputs as models write them, all of the same two messages. */
const outputs: Record<string, string> = {
  'attributes of the tag': tag(`[${C},${U}]`, " version='0.9.1' lang=json"),
  'a title of the fence': fence('JSONL title="ui.jsonl"', `${C}\n${U}`),
  jsonlines: fence('jsonlines', `${C}\n${U}`),
  ndjson: fence('ndjson', `${C}\n${U}`),
  'a typed constant': fence('ts', `const messages: Message[] = [\n${C},\n${U}\n] as const;`),
  'a fence within a list': `1. So:\n\n   \`\`\`json\n   [${C},\n   ${U}]\n   \`\`\`\n2. Next`,
  'a fence within the tag': tag(`\n${fence('json', `[${C},${U}]`)}\n`),
  'the tag within a fence': fence('xml', tag(`[${C},${U}]`)),
  CDATA: tag(`<![CDATA[[${C},${U}]]]>`),
  'an element for each': tag(`<message>${C}</message>\n<message>${U}</message>`),
  'an object with messages': tag(`{"messages":[${C},${U}]}`),
  'words beside a2ui': fence('json', `{"text":"Here you go","a2ui":[${C},${U}]}`),
  'words beside a2ui, bare': `{"message": "Here", "a2ui": [${C},${U}]}\nbye`,
  'a call of a tool': `<tool_call>\n{"name":"render","arguments":[${C},${U}]}\n</tool_call>`,
  'a call with messages': `{"name":"render","arguments":{"messages":[${C},${U}]}}`,
  'comments of HTML': tag(`<!-- one -->[${C},<!-- two -->${U}]`),
  'block comments': tag(`/* create */\n${C}\n/* fill */\n${U}`),
  'comments behind': tag(`[\n${C}, // the surface\n${U} // its text\n]`),
  'a tuple': tag(`messages = (\n${C},\n${U},\n)`),
  'a dump in Python': fence('python', `print(json.dumps([${C},${U}], indent=2))`),
  'events of a stream': fence('', `event: message\ndata: ${C}\n\nevent: message\ndata: ${U}`),
  'lines between prose': `Here is it.\n\n${C}\n${U}\n\nTell me!`,
  'a quotation': tag(`\n> ${C}\n> ${U}\n`),
  'labels in bold': tag(`\n**Message 1:**\n${C}\n\n**Message 2:**\n${U}\n`),
  'prose within': tag(`First, the surface:\n${C}\nThen its components:\n${U}\n`),
  'curly quotes': tag(`[${C.replaceAll('"', '”')},${U}]`),
  'quotes of German': tag(`[${german(C)},${german(U)}]`),
  'JSON of JSON': fence('json', JSON.stringify(`[${C},${U}]`)),
  'escaped quotes': tag(`[${escaped(C)},\\n${escaped(U)}]`),
  'escaped quotes, one by one': tag(`${escaped(C)}\n${escaped(U)}`),
  'line breaks as escapes': tag(`[${C},\\n${U}\\n]`),
  'a version without letter': tag(`[${C},${U}]`.replaceAll('v0.9.1', '0.9.1')),
  'semicolons between': tag(`${C};\n${U};`),
  'no commas': tag(`[${C} ${U}]`),
  'commas at all ends': tag(`[${C},${U.replaceAll('}', ',}').replaceAll(']', ',]')},]`),
  'a draft before': `<think>[${text('"Draft"')}]</think>\n${tag(`[${C},${U}]`)}`,
  'two blocks': `${tag(C)}\nand\n${tag(U)}`,
  'three quotation marks': tag(`[${C},${text('"""Hello"""')}]`),
  'marks of a channel': `<|channel|>final<|message|>${tag(`[${C},${U}]`)}<|end|>`,
  'strings that are joined': tag(`[${C},${text(`"Hel" + 'lo'`)}]`),
  'a document in the shell': fence('bash', `cat <<EOF\n${C}\n${U}\nEOF`),
  'a closed tag before': `<a2ui-json/>\n[${C},${U}]`,
  'cut within the tag': `<a2ui-json>[${C},${U}]</a2ui-js`,
  'cut behind the messages': `<a2ui-json>[${C},${U},`,
}

const seen = (parts: ReturnType<typeof extractMessages>) =>
  parts.filter(({ kind }) => kind !== 'text')

describe('outputs in other containers', () => {
  test.each(Object.entries(outputs))('SX-21 SX-24: %s', (_, output) => {
    const parts = extractMessages(output, options)
    const messages = seen(parts).map((part) => (part.kind === 'message' ? part.message : part))
    expect(messages).toEqual([C, U].map((one) => JSON.parse(one)))
    for (const size of [1, 7]) {
      const extractor = createMessageExtractor(options)
      const pieces = output.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const found = pieces.flatMap((piece) => extractor.push(piece))
      expect(seen([...found, ...extractor.end()])).toEqual(seen(parts))
    }
  })

  test.each([
    ['three quotation marks', text('"""Say "yes"\nnow"""'), 'Say "yes"\nnow'],
    ['encoded json', escaped(text(String.raw`"a \"b\"\nc"`).replaceAll('\\', '\\\\')), 'a "b"\nc'],
  ])('SX-24: %s keeps what is within', (_, message, words) => {
    const [part] = seen(extractMessages(tag(message), options))
    const expected = { updateComponents: { components: [{ text: words }] } }
    expect(part).toMatchObject({ kind: 'message', message: expected })
  })

  test.each([
    ['members within three marks', text('"""a", "weight": 2, "x": """')],
    ['an undefined value', C.replace(`"${catalogId}"`, 'undefined')],
    ['three dots', U.replace(']', ', ...]')],
    ['a spread', U.replace('{', '{...base,')],
    ['another version', C.replace('v0.9.1', 'v1.0')],
    [
      'a script',
      U.replace('Text","text":"Hello"', String.raw`Image","url":"java\nscript:alert(1)"`),
    ],
    ['a script in entities', U.replace('Hello', '[x](javascript&#58;alert(1))')],
    ['a script in an escaped block', escaped(U.replace('Hello', '[x](javascript:alert(1))'))],
    ['a call with other things', `{"name":"x","count":1,"arguments":[${U}]}`],
  ])('SX-25: %s is an error', (_, message) => {
    const kinds = seen(extractMessages(tag(message), options)).map(({ kind }) => kind)
    expect(new Set(kinds)).toEqual(new Set(['error']))
  })
})
