import { parseJson } from '@x/wire'
import { jsonrepair } from 'jsonrepair'
import { cutJson, type CutDocument } from './cut-json.ts'
import { firstJson } from './first-json.ts'
import { fencedBlocks } from './fenced-blocks.ts'

/** Maximum length of JSON that had to be repaired. */
const MAX_REPAIRED = 1_000_000

/**
 * Reads JSON as models write it: in prose or a fenced block, with comments, single quotes, bare words,
 * missing commas and brackets. Several documents give a list of their values.
 * @throws TypeError for text without JSON, and for JSON that is nested too deeply or too large
 */
export function readModelJson(text: string): unknown {
  const [first, ...others] = modelJsonTexts(text).map(parseJson)
  return others.length === 0 ? first : [first, ...others]
}

/** Returns the first document in a model's answer, a well-formed one if there is one; undefined if none. */
export function firstModelJson(answer: string): unknown {
  try {
    const documents = documentsIn(answer)
    const wellFormed = documents.find(({ source }) => exactly(source) !== undefined)
    if (wellFormed !== undefined) return exactly(wellFormed.source)
    const [first] = documents
    // A bracket before a word is prose.
    const inner = /^\[\s*[a-z]/i.test(first?.source ?? '') ? firstJson(answer) : undefined
    if (inner !== undefined) return inner
    return first === undefined ? undefined : parseJson(repaired(first))
  } catch {
    return undefined
  }
}

/**
 * Returns the documents in a text as well-formed JSON.
 * @throws TypeError as `readModelJson`
 */
export function modelJsonTexts(given: string): string[] {
  const text = given.replace(/^\uFEFF/, '')
  if (exactly(text) !== undefined) return [text]
  const documents = documentsIn(text)
  if (documents.length === 0) throw unreadable('cannot be repaired')
  const texts = documents.map(repaired)
  const size = texts.reduce((sum, { length }) => sum + length, 0)
  if (size > MAX_REPAIRED) throw unreadable('too large')
  return texts
}

/** The documents of a text; those of its fenced blocks if prose comes first. */
function documentsIn(text: string): CutDocument[] {
  try {
    if (/^\s*[[{]\s*\\"/.test(text)) return cutJson(text.replaceAll('\\"', '"'))
    const blocks = /^\s*[[{]/.test(text) ? [] : fencedBlocks(text).flatMap(cutJson)
    return blocks.length === 0 ? cutJson(text) : blocks
  } catch (error) {
    throw error instanceof RangeError ? unreadable(error.message) : error
  }
}

function repaired({ source, text }: CutDocument): string {
  if (exactly(source) !== undefined) return source
  if (text.length > MAX_REPAIRED) throw unreadable('too large')
  if (exactly(text) !== undefined) return text
  let json: string
  try {
    json = jsonrepair(text)
  } catch (error) {
    throw unreadable(error instanceof RangeError ? 'too deep' : 'cannot be repaired')
  }
  if (exactly(json) === undefined) throw unreadable('too deep')
  return json
}

function exactly(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function unreadable(why: string): TypeError {
  return new TypeError(`Invalid JSON string: ${why}`)
}
