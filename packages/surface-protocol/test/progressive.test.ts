import { expect, test } from 'vitest'
import { basicCatalogV09, createSurfaceStore } from '@x/surface-protocol'
import {
  createMessageExtractor,
  createRequestProcessor,
  extractMessages,
  type ExtractedPart,
} from '@x/surface-protocol/llm'

const catalogId = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
const options = { version: '0.9.1', catalogs: [basicCatalogV09], progressive: true } as const
const create = { version: 'v0.9.1', createSurface: { surfaceId: 's', catalogId } }
const update = {
  version: 'v0.9.1',
  updateComponents: {
    surfaceId: 's',
    components: [
      { id: 'root', component: 'Column', children: ['a', 'b'] },
      { id: 'a', component: 'Text', text: 'a } ] "b" \\' },
      { id: 'b', component: 'Button', child: 'a', action: { event: { name: 'go' } } },
    ],
  },
}
const answer = `Hi\n<a2ui-json>${JSON.stringify([create, update])}</a2ui-json>`

function read(text: string, size: number): ExtractedPart[] {
  const extractor = createMessageExtractor(options)
  const parts: ExtractedPart[] = []
  for (let at = 0; at < text.length; at += size) {
    parts.push(...extractor.push(text.slice(at, at + size)))
  }
  return [...parts, ...extractor.end()]
}

const idsOf = (parts: readonly ExtractedPart[]) =>
  parts.flatMap((part) =>
    part.kind === 'message'
      ? ((part.message as Partial<typeof update>).updateComponents?.components.map(
          ({ id }) => id,
        ) ?? [])
      : [],
  )

test('SX-28a: each component is handed out once, when it has closed', () => {
  const begun = answer.indexOf('{"id":"b"')
  const extractor = createMessageExtractor(options)
  const first = extractor.push(answer.slice(0, begun))
  expect(idsOf(first)).toEqual(['root', 'a'])
  expect(first.filter((part) => part.kind === 'message' && part.partial === true)).toHaveLength(2)
  const rest = [...extractor.push(answer.slice(begun)), ...extractor.end()]
  expect(rest).toEqual([
    {
      kind: 'message',
      message: {
        ...update,
        updateComponents: {
          surfaceId: 's',
          components: update.updateComponents.components.slice(2),
        },
      },
      repairs: [],
    },
  ])
})

test('SX-28a: for any cut the parts have the effect of the whole', () => {
  const whole = createSurfaceStore({ version: '0.9.1' })
  for (const message of [create, update]) whole.apply(message)
  for (const size of [1, 2, 7, 50, 1000]) {
    const store = createSurfaceStore({ version: '0.9.1' })
    const parts = read(answer, size)
    for (const part of parts) if (part.kind === 'message') store.apply(part.message)
    expect(idsOf(parts)).toEqual(['root', 'a', 'b'])
    expect(store.snapshot()).toEqual(whole.snapshot())
  }
})

test('SX-28a: a wrong component is the error of its message, and the others stand', () => {
  const wrong = answer.replace('"id":"a","component":"Text"', '"id":"a","component":"Txt"')
  const parts = read(wrong, 5)
  expect(idsOf(parts)).toEqual(['root', 'b'])
  expect(parts.at(-1)).toMatchObject({
    kind: 'error',
    code: 'invalid_component_type',
    diagnostics: [{ componentId: 'a' }],
  })
})

test('SX-28a: what needs a repair comes with its message, what was cut off never', () => {
  const loose = answer.replace('"id":"a",', "'id':'a',")
  expect(idsOf(read(loose, 5))).toEqual(['root', 'a', 'b'])
  const parts = read(answer.slice(0, answer.indexOf('"child"')), 5)
  expect(idsOf(parts)).toEqual(['root', 'a'])
  expect(idsOf(read(answer.replaceAll('"version":"v0.9.1",', ''), 5))).toEqual(['root', 'a', 'b'])
})

test('SX-28a: it is off unless asked for; a parser of a processor takes it', () => {
  const { progressive: _, ...plain } = options
  const extractor = createMessageExtractor(plain)
  expect(idsOf(extractor.push(answer.slice(0, -30)))).toEqual([])
  expect(idsOf(extractMessages(answer, plain))).toEqual(['root', 'a', 'b'])
  const processor = createRequestProcessor({ version: '0.9.1', catalogs: [basicCatalogV09] })
  const parser = processor.createParser({ progressive: true })
  expect(idsOf(parser.parseChunk(answer.slice(0, -40)))).toEqual(['root', 'a'])
})
