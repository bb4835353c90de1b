import { existsSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { basicCatalogV09, createSurfaceStore } from '@x/surface-protocol'
import { createRequestProcessor, express } from '@x/surface-protocol/llm'

/** Public sample surfaces, beside the checkout; the suite is skipped where they are absent. */
const file = new URL('../../../../shared/reference/a2ui/samples/v0_9_1.json', import.meta.url)
const isThere = existsSync(file)
const samples = (isThere ? JSON.parse(readFileSync(file, 'utf8')) : []) as {
  name: string
  messages: { updateComponents?: { components: object[] } }[]
}[]

const options = { version: '0.9.1', catalogs: [basicCatalogV09] } as const
const format = express()

function shown(messages: readonly unknown[]): unknown {
  const store = createSurfaceStore({ version: '0.9.1' })
  const found = messages.flatMap((message) => store.apply(message).diagnostics)
  expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
  // The number of an instance depends on the order in which components came.
  const nameless = (tree: unknown): unknown =>
    JSON.parse(JSON.stringify(tree).replaceAll(/("id":"[^"#]*)#\d+"/g, '$1"'))
  return store
    .surfaceIds()
    .map((id) => ({ id, tree: nameless(store.tree(id)), data: store.getData(id) }))
}

const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0

describe.runIf(isThere)('public samples', () => {
  test.each(samples)('SX-48: $name', ({ messages }) => {
    const lost: string[] = []
    const text = format.decompile(messages, { ...options, onLoss: (path) => lost.push(path) })
    const compiled = format.compile(text, options)
    expect(lost.length > 0 || isDeepStrictEqual(shown(compiled), shown(messages))).toBe(true)
    expect(text).not.toMatch(/^\w+ = \w+\(.*_, _/m)
    const parser = createRequestProcessor({ ...options, format }).createParser()
    const parts =
      `<a2ui>\n${text}\n</a2ui>`
        .match(/[^]{1,11}/g)
        ?.flatMap((piece) => parser.parseChunk(piece)) ?? []
    const all = [...parts, ...parser.end()]
    expect(all.filter(({ kind }) => kind === 'error')).toEqual([])
    expect(shown(all.flatMap((part) => (part.kind === 'message' ? [part.message] : [])))).toEqual(
      shown(compiled),
    )
  })

  test('SX-47: the first component is there after three tenths of the bytes of JSON Lines', () => {
    const ratios = samples.map(({ messages }) => {
      const text = `<a2ui>\n${format.decompile(messages, options)}\n</a2ui>`
      const parser = createRequestProcessor({ ...options, format }).createParser()
      let at = 0
      for (; at < text.length; at += 1) {
        const parts = parser.parseChunk(text.charAt(at))
        if (
          parts.some(
            (part) => part.kind === 'message' && 'updateComponents' in (part.message as object),
          )
        )
          break
      }
      const upTo = messages.findIndex((message) => message.updateComponents !== undefined)
      const lines = messages.slice(0, upTo + 1).map((message) => JSON.stringify(message))
      return at / lines.join('\n').length
    })
    expect(median(ratios)).toBeLessThanOrEqual(0.3)
  })

  test('SX-28a: the first component of direct JSON after a fifth of the block', () => {
    const ratios = samples.map(({ messages }) => {
      const text = `<a2ui-json>${JSON.stringify(messages)}</a2ui-json>`
      const parser = createRequestProcessor(options).createParser({ progressive: true })
      for (let at = 0; at < text.length; at += 10) {
        const parts = parser.parseChunk(text.slice(at, at + 10))
        if (
          parts.some(
            (part) => part.kind === 'message' && 'updateComponents' in (part.message as object),
          )
        )
          return at / text.length
      }
      return 1
    })
    expect(median(ratios)).toBeLessThanOrEqual(0.2)
  })

  test('SX-52: damaged samples give parts and never an exception', () => {
    const texts = samples.map(
      ({ messages }) => `<a2ui>\n${format.decompile(messages, options)}\n</a2ui>`,
    )
    let state = 11
    const next = (limit: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * limit)
    }
    const processor = createRequestProcessor({ ...options, format })
    for (let turn = 0; turn < 1000; turn += 1) {
      const text = texts[next(texts.length)] ?? ''
      const at = next(text.length)
      const damaged =
        text.slice(0, at) + '"\'()[]{},=$?\\`<\n'.charAt(next(16)) + text.slice(at + next(4))
      expect(Array.isArray(processor.parseResponse(damaged))).toBe(true)
    }
  })
})
