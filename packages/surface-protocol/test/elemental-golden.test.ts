import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { basicCatalogV09, createSurfaceStore } from '@x/surface-protocol'
import { createRequestProcessor } from '@x/surface-protocol/llm'
import { elemental } from '@x/surface-protocol/llm/elemental'

/** Recorded documents, beside the checkout; the suite is skipped where they are absent. */
const file = new URL('../../../../shared/golden/surface-llm/elemental.json', import.meta.url)
const isThere = existsSync(file)

interface Recorded {
  readonly name: string
  readonly text: string
  readonly messages: readonly object[]
}

const documents = (isThere ? JSON.parse(readFileSync(file, 'utf8')) : []) as Recorded[]
const format = elemental()
const options = { version: '0.9.1' as const, catalogs: [basicCatalogV09] }

/** What a store has after messages; the order of components does not count. */
function stateAfter(messages: readonly object[]): unknown {
  const store = createSurfaceStore(options)
  const results = messages.map((message) => store.apply(message))
  expect(results.flatMap(({ diagnostics }) => diagnostics.filter(isError))).toEqual([])
  return store.surfaceIds().map((id) => {
    const { components = [], data } = store.get(id) ?? {}
    return { id, data, components: components.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
  })
}
const isError = ({ severity }: { severity: string }) => severity === 'error'

/** Of components that occur twice in one message the last one. */
function once(messages: readonly object[]): object[] {
  const copy = JSON.parse(JSON.stringify(messages)) as Record<string, { components?: object[] }>[]
  for (const message of copy) {
    const payload = message['updateComponents']
    const list = (payload?.components ?? []) as { id: string }[]
    if (payload !== undefined)
      payload.components = [...new Map(list.map((one) => [one.id, one])).values()]
  }
  return copy
}

describe.runIf(isThere)('recorded documents', () => {
  test.each(documents)('SX-51: $name', ({ text, messages }) => {
    const wanted = stateAfter(once(messages))
    const compiled = format.compile(text, options)
    expect(stateAfter(compiled)).toEqual(wanted)
    expect(stateAfter(format.compile(format.decompile(compiled, options), options))).toEqual(wanted)
    for (const size of [7, 10_000]) {
      const parser = createRequestProcessor({ ...options, format }).createParser()
      const parts = []
      const answer = `Hi <a2ui>\n${text}\n</a2ui>`
      for (let at = 0; at < answer.length; at += size) {
        parts.push(...parser.parseChunk(answer.slice(at, at + size)))
      }
      parts.push(...parser.end())
      expect(parts.filter(({ kind }) => kind === 'error')).toEqual([])
      expect(
        stateAfter(
          parts.flatMap((part) => (part.kind === 'message' ? [part.message as object] : [])),
        ),
      ).toEqual(wanted)
    }
  })
})
