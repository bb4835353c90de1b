import { matchAt, messagesAhead } from './json-tokens.ts'

/** Where something begins that may hold messages. */
export interface Opening {
  readonly kind: 'tag' | 'fence' | 'delimiter' | 'bare' | 'thinking'
  readonly index: number
  readonly length: number
  /** The tag's name, or the fence's mark. */
  readonly name: string
}

/** Finds the beginnings of blocks in a text. */
export interface OpeningFinder {
  /** The first one; `isLineStart`: the text begins a line. */
  find(text: string, isLineStart: boolean, last: boolean): Opening | null
  /** Number of trailing characters that may belong to the beginning of one. */
  begun(text: string, isLineStart: boolean): number
}

/** Maximum characters of a tag's attributes. */
const MAX_LENGTH = 1000
const INFO = 'jsonl|jsonc|json5|json|js|javascript|python|a2ui-json|a2ui'
const DELIMITER = '---a2ui_JSON---'

/** Creates a finder. */
export function createOpeningFinder({
  tag,
  bare,
  thinking,
}: {
  tag: string
  bare: boolean
  thinking: boolean
}): OpeningFinder {
  const quoted = tag.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)
  const second =
    tag === 'a2ui-json'
      ? `|(a2ui)(?:\\s[^<>]{0,${MAX_LENGTH}})?>(?=\\s*[[{\\uff3b\\uff5b"'\`~])`
      : ''
  const names = thinking ? '|(think|thinking|reasoning)(?:\\s[^<>]{0,200})?>' : ''
  const pattern = new RegExp(
    `<(?:(${quoted})(?:\\s[^<>]{0,${MAX_LENGTH}})?>${second === '' ? '|(\\b\\B)' : second}${names === '' ? '|(\\b\\B)' : names})` +
      `|^[ \\t]*(\`{3,}|~{3,})[ \\t]*(?:${INFO})?[ \\t]*\\r?\\n` +
      `|^[ \\t]*(${DELIMITER})[ \\t]*\\r?\\n` +
      (bare ? '|^[ \\t]*([[{\\uff3b\\uff5b])' : ''),
    'gim',
  )
  const begins = [`<${tag}`, '<a2ui', ...(thinking ? ['<thinking', '<reasoning'] : [])]
  return {
    find(text, isLineStart, last) {
      pattern.lastIndex = 0
      for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
        const [whole, first, other, thought, mark, delimiter, bracket] = found
        const { index } = found
        const at = { index, length: whole.length }
        const name = first ?? other
        if (name !== undefined) return { kind: 'tag', ...at, name }
        if (thought !== undefined) return { kind: 'thinking', ...at, name: thought }
        if (index === 0 && !isLineStart) continue
        if (mark !== undefined) return { kind: 'fence', ...at, name: mark }
        if (delimiter !== undefined) return { kind: 'delimiter', ...at, name: delimiter }
        if (bracket !== undefined && mayBeMessages(text, index + whole.length - 1, last) === true) {
          return { kind: 'bare', index: index + whole.length - 1, length: 0, name: '' }
        }
      }
      return null
    },
    begun(text, isLineStart) {
      const tagAt = text.lastIndexOf('<')
      const opened = tagAt === -1 ? '' : text.slice(tagAt)
      const isTag =
        opened !== '' && opened.length <= MAX_LENGTH && begins.some((one) => isBegunBy(opened, one))
      const line = isTag ? 0 : begunLine(text, isLineStart, bare)
      return Math.max(isTag ? opened.length : 0, line)
    },
  }
}

/** True if a text is the beginning of a tag. */
function isBegunBy(text: string, start: string): boolean {
  const name = text.slice(0, start.length).toLowerCase()
  if (!start.toLowerCase().startsWith(name)) return false
  const behind = text.slice(start.length)
  return /^(?:\s[^<>]*)?(?:>\s*)?$/.test(behind)
}

/** Number of trailing characters that may begin a fence, a delimiter or messages. */
function begunLine(text: string, isLineStart: boolean, bare: boolean): number {
  const lineAt = text.lastIndexOf('\n') + 1
  const line = text.slice(lineAt)
  if (lineAt > 0 || isLineStart) {
    const info = /^[ \t]*(?:`+|~+)([^`~]*)$/.exec(line)?.[1]?.trim().toLowerCase()
    if (info !== undefined && INFO.split('|').some((one) => one.startsWith(info))) {
      return line.length
    }
    const trimmed = line.trim().toLowerCase()
    if (trimmed !== '' && DELIMITER.toLowerCase().startsWith(trimmed)) return line.length
  }
  if (!bare) return 0
  const from = Math.max(0, text.length - 400)
  for (const found of text.slice(from).matchAll(/^[ \t]*[[{\uff3b\uff5b]/gm)) {
    const at = from + found.index + found[0].length - 1
    if (from + found.index === 0 && (from > 0 || !isLineStart)) continue
    if (mayBeMessages(text, at, false) === null) return text.length - at
  }
  return 0
}

/** Whether messages begin at a bracket; null if the text has to go on first. */
function mayBeMessages(text: string, at: number, last: boolean): boolean | null {
  const brackets = matchAt(/[[\uff3b\s]*/y, text, at) ?? ''
  const begin = at + brackets.length
  if (matchAt(messagesAhead, text, begin) !== null) return true
  if (last || text.length - at > 300) return false
  const rest = text.slice(begin)
  const isOpen =
    /^(?:[{\uff5b]\s*(?:["'`\u201c]?\w{0,24}["'`\u201d]?\s*(?:[:\uff1a]\s*(?:["'`\u201c]?v?|"(?:[^"\\\n]|\\.){0,120}\\?(?:"\s*(?:,\s*(?:"\w{0,16}(?:"\s*(?:[:]\s*)?)?)?)?)?))?)?)?$/.test(
      rest,
    )
  return isOpen ? null : false
}
