import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { basicCatalogV09, isSurfaceError } from '@x/surface-protocol'
import { createRequestProcessor, express } from '@x/surface-protocol/llm'
import { basicCatalogV1, v1 } from '@x/surface-protocol/v1'

/** Recorded programs, beside the checkout; the suite is skipped where they are absent. */
const file = new URL('../../../../shared/golden/surface-llm/express.json', import.meta.url)
const isThere = existsSync(file)

interface Program {
  readonly name: string
  readonly version: '0.9.1' | '1.0'
  readonly text: string
  readonly messages?: readonly object[]
  readonly error?: 'parse' | 'validation'
  readonly line?: number | null
}

const programs = (isThere ? JSON.parse(readFileSync(file, 'utf8')) : []) as Program[]
const format = express()
const optionsOf = (version: Program['version']) =>
  version === '1.0'
    ? { version: v1, catalogs: [basicCatalogV1] }
    : { version: '0.9.1' as const, catalogs: [basicCatalogV09] }

/** Messages with components in order of their ids, and by kind. */
function sorted(messages: readonly object[]): unknown[] {
  const copy = JSON.parse(JSON.stringify(messages)) as Record<
    string,
    { components?: { id: string }[] }
  >[]
  for (const message of copy) {
    for (const payload of Object.values(message)) {
      payload.components?.sort((a, b) => (a.id < b.id ? -1 : 1))
    }
  }
  return copy.toSorted((a, b) => {
    const [x, y] = [Object.keys(a)[1] ?? '', Object.keys(b)[1] ?? '']
    return x < y ? -1 : x > y ? 1 : 0
  })
}

function failure(run: () => unknown): { kind: string; line: number | undefined } {
  try {
    run()
  } catch (error) {
    if (!isSurfaceError(error)) throw error
    const isParse = error.code === 'malformed_program' || error.code === 'missing_root'
    return { kind: isParse ? 'parse' : 'validation', line: error.diagnostics[0]?.line }
  }
  return { kind: 'none', line: undefined }
}

const right = programs.filter(({ error }) => error === undefined)
const wrong = programs.filter(({ error }) => error !== undefined)

describe.runIf(isThere)('recorded programs', () => {
  test.each(right)('SX-45: $name ($version)', ({ version, text, messages }) => {
    const options = optionsOf(version)
    const compiled = format.compile(text, options)
    expect(sorted(compiled)).toEqual(sorted(messages ?? []))
    const again = format.compile(format.decompile(compiled, options), options)
    expect(sorted(again)).toEqual(sorted(compiled))
    const processor = createRequestProcessor({ ...options, format })
    const parts = processor.parseResponse(`Hi <a2ui>\n${text}\n</a2ui>`)
    expect(parts.filter(({ kind }) => kind === 'error')).toEqual([])
  })

  test.each(wrong)('SX-43a: $name ($version)', ({ version, text, error, line }) => {
    const found = failure(() => format.compile(text, optionsOf(version)))
    expect(found.kind).toBe(error)
    expect(line ?? found.line).toBe(found.line)
  })
})
