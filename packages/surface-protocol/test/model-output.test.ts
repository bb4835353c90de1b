import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  basicCatalogV09,
  isSurfaceError,
  standardCatalogV08,
  validateMessages,
  type Catalog,
  type JsonObject,
} from '@x/surface-protocol'
import { negotiateCatalogs, parseCatalog, pruneCatalog } from '@x/surface-protocol/catalog'
import {
  createMessageExtractor,
  extractBlocks,
  extractMessages,
  formatPrompt,
  parseBlock,
  repairJson,
  type ExtractMessagesOptions,
} from '@x/surface-protocol/llm'
import { basicCatalogV1, v1 } from '@x/surface-protocol/v1'

const CATALOG = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
const say = (message: object) => ({ version: 'v0.9.1', ...message })
const text = (id: string, words: string) => ({ id, component: 'Text', text: words })
const update = (...components: object[]) =>
  say({ updateComponents: { surfaceId: 's', components } })
const later = { version: '0.9.1', catalogs: [basicCatalogV09] } as const
const cut = (raw: string, options: ExtractMessagesOptions = later) =>
  extractMessages(`<a2ui-json>${raw}`, options)

describe('SN-64: messages of a model', () => {
  test('with catalogs each message is validated; without them it is handed on', () => {
    const raw = JSON.stringify([update(text('root', 'x')), update({ id: 'a', component: 'Nix' })])
    const block = `Hi <a2ui-json>${raw}</a2ui-json> bye`
    expect(extractMessages(block, later)).toMatchObject([
      { kind: 'text', text: 'Hi' },
      { kind: 'message', message: update(text('root', 'x')) },
      {
        kind: 'error',
        code: 'invalid_component_type',
        diagnostics: [{ path: '/updateComponents/components/0' }],
      },
      { kind: 'text', text: 'bye' },
    ])
    const kinds = extractMessages(block, { version: '0.9.1' }).map(({ kind }) => kind)
    expect(kinds).toEqual(['text', 'message', 'message', 'text'])
    const earlier = JSON.stringify({ beginRendering: { surfaceId: 's', root: 'r', x: 1 } })
    const fence = `\`\`\`json\n${earlier}\n\`\`\`\n`
    expect(extractMessages(fence, { catalogs: [standardCatalogV08] })).toMatchObject([
      { kind: 'error', code: 'unknown_key' },
    ])
  })

  test('opening tags with attributes, however they are cut; a closing tag in a string is text', () => {
    const message = update(text('root', '</a2ui-json> <a2ui-json>'))
    const whole = `A<a2ui-json version="v0.9.1">${JSON.stringify(message)}</a2ui-json><a2ui-jsonx>`
    const wanted = [
      { kind: 'text', text: 'A' },
      { kind: 'message', message, repairs: [] },
      { kind: 'text', text: '<a2ui-jsonx>' },
    ]
    expect(extractMessages(whole, later)).toEqual(wanted)
    for (let at = 1; at < whole.length; at += 1) {
      const extractor = createMessageExtractor(later)
      const parts = [
        ...extractor.push(whole.slice(0, at)),
        ...extractor.push(whole.slice(at)),
        ...extractor.end(),
      ]
      const joined = parts.reduce<object[]>((all, part) => {
        const last = all.at(-1) as { kind: string; text?: string } | undefined
        if (part.kind === 'text' && last?.kind === 'text') last.text += part.text
        else all.push({ ...part })
        return all
      }, [])
      expect({ at, joined }).toEqual({ at, joined: wanted })
    }
  })

  test('extractors share no state, and wrong options throw', () => {
    const [first, second] = [createMessageExtractor(later), createMessageExtractor(later)]
    first.push('<a2ui-json>[{"version":"v0.9.1",')
    expect(second.push('{"deleteSurface":1}')).toEqual([
      { kind: 'text', text: '{"deleteSurface":1}' },
    ])
    expect(() => createMessageExtractor({ truncation: 'x' as 'heal' })).toThrow(TypeError)
  })
})

describe('SN-65: truncated output', () => {
  const HEAD = '[{"version":"v0.9.1","updateComponents":{"surfaceId":"s","components":['

  test('worked example 7: an open string is closed, and its position is reported', () => {
    expect(cut(`${HEAD}{"id":"root","component":"Text","text":"Hal`)).toEqual([
      {
        kind: 'message',
        message: update(text('root', 'Hal')),
        repairs: ['truncated'],
        truncated: { path: '/updateComponents/components/0/text', dropped: '' },
      },
    ])
  })

  test('half numbers, literals, keys, escapes and characters are dropped', () => {
    const cuts: [string, unknown, string, string][] = [
      ['{"a":1,"b":12', { a: 1 }, '/b', '12'],
      ['{"a":1,"b":tr', { a: 1 }, '/b', 'tr'],
      ['{"a":true', { a: true }, '', ''],
      ['{"a":1,"b"', { a: 1 }, '/b', '"b"'],
      ['{"a":1,"b":', { a: 1 }, '/b', ''],
      ['{"a":1,"bc', { a: 1 }, '', '"bc'],
      ['{"a":[1,[2,{"b":"x\\u00', { a: [1, [2, { b: 'x' }]] }, '/a/1/1/b', '\\u00'],
      ['{"a":"x\\', { a: 'x' }, '/a', '\\'],
      ['{"a":"x\ud83d', { a: 'x' }, '/a', '\ud83d'],
      ['{"a":[1,2,', { a: [1, 2] }, '/a', ''],
      ['{"a":1, // why', { a: 1 }, '', ' // why'],
      ['{"__proto__":{"x":1},"a/b":"y', JSON.parse('{"__proto__":{"x":1},"a/b":"y"}'), '/a~1b', ''],
    ]
    for (const [raw, message, path, dropped] of cuts) {
      expect(cut(raw, { version: '0.9.1' })).toEqual([
        { kind: 'message', message, repairs: ['truncated'], truncated: { path, dropped } },
      ])
    }
  })

  test('components that are not whole are left out and named; nothing left is an error', () => {
    const whole = JSON.stringify(text('root', 'x'))
    expect(cut(`${HEAD}${whole},{"id":"b","component":"Butt`)).toMatchObject([
      {
        kind: 'message',
        message: update(text('root', 'x')),
        truncated: { path: '/updateComponents/components/1/component', components: ['b'] },
      },
    ])
    for (const raw of [`${HEAD}{"id":"b","component":"Butt`, '{"version":"v0.9', '{"ver', '{']) {
      expect(cut(raw)).toMatchObject([{ kind: 'error', code: 'truncated_block' }])
    }
    const created = '{"version":"v1.0","createSurface":{"surfaceId":"s","components":[{"id":"root'
    expect(cut(created, { version: v1, catalogs: [basicCatalogV1] })).toMatchObject([
      {
        message: { version: 'v1.0', createSurface: { surfaceId: 's' } },
        truncated: { components: ['root'] },
      },
    ])
  })

  test('refuse gives an error; whole messages before it are kept; 0.8 is as it was', () => {
    const raw = `${JSON.stringify(update(text('root', 'x')))},{"version":"v0.9.1","deleteSurf`
    expect(cut(`[${raw}`, { ...later, truncation: 'refuse' })).toMatchObject([
      { kind: 'message', repairs: [] },
      { kind: 'error', code: 'truncated_block', raw: '{"version":"v0.9.1","deleteSurf' },
    ])
    const earlier = '{"deleteSurface":{"surfaceId":"s"'
    expect(cut(earlier, {})).toMatchObject([{ kind: 'message', repairs: ['missing bracket'] }])
    expect(cut(earlier, { truncation: 'heal' })).toMatchObject([
      { kind: 'message', truncated: { path: '/deleteSurface' } },
    ])
    expect(cut('no JSON', later)).toEqual([{ kind: 'text', text: '<a2ui-json>no JSON' }])
  })

  test('a truncated fence is repaired too, and other fences stay text', () => {
    const raw = JSON.stringify(update(text('root', 'Hello'))).slice(0, -6)
    expect(extractMessages(`\`\`\`json\n${raw}`, later)).toMatchObject([
      { kind: 'message', truncated: {} },
    ])
    const other = '```json\n{"a": 1, "b'
    expect(extractMessages(other, { version: '0.9.1' })).toEqual([{ kind: 'text', text: other }])
  })

  test('any cut of any output gives valid messages, of which the last one alone is marked', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 12 })
    const messages = fc.array(
      fc
        .array(words, { minLength: 1, maxLength: 3 })
        .map((list) => update(...list.map((one, at) => text(`c${at}`, one)))),
      { minLength: 1, maxLength: 3 },
    )
    fc.assert(
      fc.property(messages, fc.nat(), (list, seed) => {
        const whole = `Hi <a2ui-json>${JSON.stringify(list)}</a2ui-json> bye`
        const at = seed % whole.length
        const parts = extractMessages(whole.slice(0, at), later)
        const found = parts.filter((part) => part.kind === 'message')
        const marked = found.map(({ truncated }) => truncated !== undefined)
        expect(marked.slice(0, -1)).not.toContain(true)
        for (const { message, truncated } of found) {
          const errors = validateMessages([message], {
            version: '0.9.1',
            catalogs: [basicCatalogV09],
          })
          expect(errors.filter(({ severity }) => severity === 'error')).toEqual([])
          expect(truncated !== undefined || list.some((one) => equal(one, message))).toBe(true)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('SN-73: a million brackets and quotation marks are read in linear time', () => {
    const limits = { lineBytes: 4_000_000 }
    for (const piece of ['[', '{"a":', '"', '\\"', '/*', '<a2ui-json ']) {
      const said = `<a2ui-json>{"a":${piece.repeat(200_000)}`
      expect(() => extractMessages(said, { ...later, limits })).not.toThrow()
    }
  })

  test(
    'SN-73: a list of 300,000 elements, and as many brackets, throw nothing but a SurfaceError',
    { tags: ['long'] },
    () => {
      const list = `[${'{},'.repeat(300_000)}{}]`
      expect(extractMessages(`<a2ui-json>${list}</a2ui-json>`)).toHaveLength(300_001)
      expect(extractMessages(`<a2ui-json>${list}`)).toHaveLength(300_001)
      expect(repairJson('['.repeat(300_000)).repairs).toEqual(['missing bracket'])
    },
  )
})

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

describe('SN-67: the prompt', () => {
  test('the basic catalogs fit into 24 kB; the same input gives the same text', () => {
    for (const [version, catalog] of [
      ['0.9.1', basicCatalogV09],
      [v1, basicCatalogV1],
      ['0.8', standardCatalogV08],
    ] as const) {
      const options = { version, catalogs: [catalog] }
      const prompt = formatPrompt(options)
      expect(prompt).toBe(formatPrompt(options))
      expect(new TextEncoder().encode(prompt).length).toBeLessThan(24_000)
      for (const type of catalog.types) expect(prompt).toContain(type)
      for (const name of catalog.functionNames ?? []) expect(prompt).toContain(`- ${name}: `)
    }
    const prompt = formatPrompt({ version: '0.9.1', catalogs: [basicCatalogV09] })
    expect(prompt).toContain('- Text: text*: dynamic string; variant: h1|h2|h3|h4|h5|caption|body')
    expect(prompt).toContain('at least one of min, max gives boolean')
  })

  test('messages, tag, examples; a wrong example throws', () => {
    const example = [say({ createSurface: { surfaceId: 's', catalogId: CATALOG } })]
    const options = { ...later, messages: ['createSurface'], tag: 'ui', examples: [example] }
    const prompt = formatPrompt(options)
    expect(prompt).toContain('<ui>')
    expect(prompt).not.toContain('deleteSurface')
    expect(prompt).toContain(JSON.stringify(example[0]))
    expect(() => formatPrompt({ ...later, examples: [[update({ id: 'a' })]] })).toThrow(/component/)
  })

  test('SN-48: names that were pruned do not occur, also not in the instructions', () => {
    const types = ['Text', 'Card']
    for (const [version, catalog] of [
      ['0.9.1', basicCatalogV09],
      [v1, basicCatalogV1],
    ] as const) {
      const pruned = pruneCatalog(catalog, { components: types, functions: ['email'] })
      expect([pruned.protocolVersion, pruned.catalogId]).toEqual([
        catalog.protocolVersion,
        catalog.catalogId,
      ])
      const words = new Set(formatPrompt({ version, catalogs: [pruned] }).match(/\w+/g))
      const gone = catalog.types.filter((type) => !types.includes(type))
      expect(gone.filter((type) => words.has(type))).toEqual([])
      expect(words.has('formatString')).toBe(false)
    }
  })
})

const folder = new URL('../../../../shared/reference/a2ui/conformance/', import.meta.url)
const isThere = existsSync(folder)
const read = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
type Case = { name: string; [key: string]: unknown }
const casesOf = (name: string): Case[] => (isThere ? read(name).cases : [])
const documents: Record<string, unknown> = isThere ? read('catalogs') : {}
const catalogOf = (name: string): Catalog => parseCatalog(documents[name], { version: v1 })

const REFUSED = 'refused with an error of the package'
function outcomeOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    if (isSurfaceError(error)) return REFUSED
    throw error
  }
}

/** Blocks as the cases write them; those of a parsed text hold messages. */
function blocksOf(input: string, catalogs: Catalog[] | null): unknown[] {
  return extractBlocks(input).map((block) => {
    if (block.kind === 'text') return { text: block.text }
    const { raw } = block
    if (catalogs !== null) return { a2ui: parseBlock(raw, { version: v1, catalogs }).messages }
    return block.truncated === true ? { a2ui_raw: raw, is_final: false } : { a2ui_raw: raw }
  })
}

describe.runIf(isThere)('public cases of model output', () => {
  test.each(casesOf('direct_json'))('SN-66: $name', (one) => {
    const { action, input, wrapped, expectError } = one as Case & { input: string }
    const catalogs = isThere ? [catalogOf('simplified')] : []
    const outcome = outcomeOf(() => {
      const compile = () => parseBlock(input, { version: v1, catalogs }).messages
      if (action === 'compile_payload') return compile()
      if (action === 'unwrap_response') return blocksOf(input, null)
      return wrapped === false ? [{ a2ui: compile() }] : blocksOf(input, catalogs)
    })
    expect(outcome).toEqual(expectError === undefined ? one.expect : REFUSED)
  })

  test.each(casesOf('request_processor'))('SN-52 SN-67: $name', (one) => {
    type Given = { catalog: string; components?: string[]; functions?: string[] }
    const given = one.catalogs as Given[]
    const wanted = (one.expect ?? {}) as {
      active?: string[]
      prompt_contains?: string[]
      prompt_absent?: string[]
      components?: string[]
      functions?: string[]
    }
    const outcome = outcomeOf(() => {
      const catalogs = negotiateCatalogs({
        version: v1,
        catalogs: given.map(({ catalog, ...keep }) => {
          const whole = catalogOf(catalog)
          return Object.keys(keep).length === 0 ? whole : pruneCatalog(whole, keep)
        }),
        capabilities: one.capabilities,
      })
      const examples = (one.examples ?? []) as JsonObject[][]
      const parse = one.parse as { input: string; expect?: unknown[]; expectError?: unknown }
      return {
        catalogs,
        prompt: formatPrompt({ version: v1, catalogs, examples }),
        parsed: parse === undefined ? null : outcomeOf(() => blocksOf(parse.input, catalogs)),
        parse,
      }
    }) as Partial<{ catalogs: Catalog[]; prompt: string; parsed: unknown; parse: JsonObject }>
    expect((outcome as unknown) === REFUSED).toBe(one.expectError !== undefined)
    const { catalogs = [], prompt = '', parsed, parse } = outcome
    const [first] = catalogs
    expect(catalogs.map(({ catalogId }) => catalogId)).toEqual(
      wanted.active ?? catalogs.map(({ catalogId }) => catalogId),
    )
    expect(first?.types).toEqual(wanted.components ?? first?.types)
    expect(first?.functionNames).toEqual(wanted.functions ?? first?.functionNames)
    for (const word of wanted.prompt_contains ?? []) expect(prompt).toContain(word)
    const words = new Set(prompt.match(/\w+/g))
    for (const word of wanted.prompt_absent ?? []) expect(words.has(word)).toBe(false)
    expect(parsed ?? null).toEqual(parse === undefined ? null : (parse.expect ?? REFUSED))
    const extractor = createMessageExtractor({ version: v1 })
    const chunks = (one.probe_chunks ?? []) as string[]
    const probed = chunks.flatMap((chunk) => extractor.push(chunk))
    expect(probed).toHaveLength(chunks.length === 0 ? 0 : 1)
  })
})
