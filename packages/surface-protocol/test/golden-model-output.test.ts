import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { basicCatalogV09 } from '@x/surface-protocol'
import {
  createMessageExtractor,
  extractMessages,
  type ExtractedPart,
} from '@x/surface-protocol/llm'

/** Recorded answers, beside the checkout; the suite is skipped where they are absent. */
const file = new URL('../../../../shared/golden/surface-llm/outputs.json', import.meta.url)
const isThere = existsSync(file)

interface Output {
  readonly kind: string
  readonly name: string
  readonly text: string
  readonly messages: readonly object[]
  readonly repairs?: readonly string[]
  readonly errors?: readonly { code?: string; path?: string; componentId?: string; hint?: string }[]
  readonly truncated?: boolean
  readonly complete?: boolean
}

const outputs = (isThere ? JSON.parse(readFileSync(file, 'utf8')) : []) as Output[]

function problemsOf(parts: readonly ExtractedPart[]): { code: string; hint?: string }[] {
  return parts.flatMap((part) =>
    part.kind === 'error' ? [{ code: part.code }, ...(part.diagnostics ?? [])] : [],
  )
}

describe.runIf(isThere)('recorded outputs of models', () => {
  test.each(outputs)('SX-27: $kind, $name', (output) => {
    const options = {
      version: '0.9.1',
      catalogs: [basicCatalogV09],
      complete: output.complete === true,
    } as const
    const parts = extractMessages(output.text, options)
    const found = parts.filter((part) => part.kind === 'message')
    expect(found.map(({ message }) => message)).toEqual(output.messages)
    const repairs = found.flatMap((part) => part.repairs)
    for (const repair of output.repairs ?? []) expect(repairs).toContain(repair)
    const problems = problemsOf(parts)
    for (const { hint = '', ...wanted } of output.errors ?? []) {
      const hinted = problems.filter((problem) => (problem.hint ?? '').includes(hint))
      expect(hinted).toContainEqual(expect.objectContaining(wanted))
    }
    expect(output.errors === undefined ? problems : []).toEqual([])
    const isCut = found.at(-1)?.truncated !== undefined
    expect(isCut || output.truncated !== true).toBe(true)
    // SX-26: wherever the text is cut, the parts are the same.
    const step = Math.max(1, Math.floor(output.text.length / 40))
    for (let cut = 1; cut < output.text.length; cut += step) {
      const extractor = createMessageExtractor(options)
      const pieces = [
        ...extractor.push(output.text.slice(0, cut)),
        ...extractor.push(output.text.slice(cut)),
        ...extractor.end(),
      ]
      const rest = (list: readonly ExtractedPart[]) => list.filter(({ kind }) => kind !== 'text')
      expect(rest(pieces)).toEqual(rest(parts))
      const words = (list: readonly ExtractedPart[]) =>
        list.map((part) => (part.kind === 'text' ? part.text : '')).join('')
      expect(words(pieces)).toBe(words(parts))
    }
  })
})
