import { describe, expect, test } from 'vitest'
import { createSurfaceParts, type SurfacePiece } from '@x/surface-protocol/llm'

const create = {
  version: 'v0.9',
  createSurface: {
    surfaceId: 'card',
    catalogId: 'https://a2ui.org/specification/v0_9/basic_catalog.json',
  },
}
const update = {
  version: 'v0.9',
  updateComponents: {
    surfaceId: 'card',
    components: [{ id: 'root', component: 'Text', text: 'Hi' }],
  },
}
const old = { beginRendering: { surfaceId: 'old', root: 'root' } }

/** The pieces with neighbouring texts joined. */
function joined(pieces: readonly SurfacePiece[]): unknown[] {
  const all: unknown[] = []
  for (const piece of pieces) {
    const last = all.at(-1)
    if (piece.kind === 'text' && typeof last === 'string') all[all.length - 1] = last + piece.text
    else if (piece.kind === 'text') all.push(piece.text)
    else all.push(piece.kind === 'message' ? piece.message : piece.error.message)
  }
  return all
}

describe('createSurfaceParts', () => {
  const text = `Look: <a2ui-json>${JSON.stringify([create, update])}</a2ui-json> nice, 1 < 2`

  test('DO-55: wherever a text is cut, its messages are told from its text', () => {
    for (let at = 0; at <= text.length; at += 1) {
      const reader = createSurfaceParts().reader()
      const pieces = [
        ...reader.push(text.slice(0, at)),
        ...reader.push(text.slice(at)),
        ...reader.end(),
      ]
      expect(joined(pieces)).toEqual(['Look:', create, update, 'nice, 1 < 2'])
    }
  })

  test('DO-55: operations of a tool, as an object or as JSON, in the versions of the messages', () => {
    const parts = createSurfaceParts()
    const operations = { a2ui_operations: [create, old] }
    for (const value of [operations, JSON.stringify(operations)])
      expect(joined(parts.operations(value) ?? [])).toEqual([create, old])
    expect(['a2ui_operations', { other: 1 }, 7, null].map((one) => parts.operations(one))).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  test('DO-55: a message that is wrong is an error, not a text', () => {
    const wrong = { ...update, updateComponents: { surfaceId: 'card', components: [{ id: 1 }] } }
    const reader = createSurfaceParts().reader()
    const given = `a <a2ui-json>${JSON.stringify([wrong])}</a2ui-json> b <a2ui-json>[{"x`
    const pieces = [...reader.push(given), ...reader.end()]
    expect(pieces.map(({ kind }) => kind)).toEqual(['text', 'error', 'text', 'error'])
  })

  test('DO-56: data parts of A2A, when the extension is asked for', () => {
    const parts = createSurfaceParts()
    const { uri } = parts.extension
    expect([
      parts.negotiate(uri),
      parts.negotiate('https://else.org'),
      parts.negotiate(null),
    ]).toEqual([uri, null, null])
    expect(parts.dataParts([create, update])).toEqual([
      { data: [create, update], mediaType: 'application/a2ui+json' },
    ])
    expect(parts.dataParts([old])).toEqual([{ data: old, mediaType: 'application/json+a2ui' }])
  })
})
