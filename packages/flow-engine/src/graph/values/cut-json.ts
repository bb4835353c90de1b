/** Maximum nesting depth of a document. */
const MAX_DEPTH = 200

/** Characters of white space and key looked at behind a quote to see whether it ends a string. */
const KEY_AHEAD = /\s*(?:["'“‘`}\]/#,;]|[\w$-]{1,100}\s*:|$)/y
const NUMBER = /^\+(?=[\d.])/
const NOT_FINITE = /^[+-]?(?:NaN|Infinity)$/
const NUMERIC = /^[+-]?[\d.]/
const COMMENT = /\/\*|\*\//
const WITH_SLASH = /^[\w.-]+(?:\/[\w.-]+)+$/
const CLOSING = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
])

/** Maximum number of documents in a text. */
const MAX_DOCUMENTS = 10_000

/** A document in a text, with its comments removed and its commas in order. */
export interface CutDocument {
  readonly text: string
  /** The document as it was written. */
  readonly source: string
}

/**
 * Returns the JSON documents in a text, which need not be well-formed: each from its first bracket to the
 * one that closes it, or to the end. Linear in the length of the text.
 * @throws RangeError `too deep` or `too large`
 */
export function cutJson(text: string): CutDocument[] {
  const documents: CutDocument[] = []
  const start = /[[{]/g
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    if (documents.length === MAX_DOCUMENTS) throw new RangeError('too large')
    const cut = new Cut(text, found.index)
    documents.push({ text: cut.read(), source: text.slice(found.index, cut.at) })
    start.lastIndex = cut.at
  }
  return documents
}

/** Maximum length of a text without end whose quotes are left to be told apart. */
const MAX_OPEN_TEXT = 10_000

/** What an object needs next; a list only knows `value` and `comma`. */
type Need = 'key' | 'colon' | 'value' | 'comma'

interface Level {
  readonly close: string
  need: Need
}

/** Reads one document. */
class Cut {
  at: number
  readonly #text: string
  readonly #levels: Level[] = []
  readonly #written: string[] = []
  /** The last character written that is not white space. */
  #last = ''
  /** True behind a bare word, to which more words may belong. */
  #inWords = false

  constructor(text: string, at: number) {
    this.#text = text
    this.at = at
  }

  read(): string {
    const text = this.#text
    do {
      const char = text.charAt(this.at)
      if (/\s/.test(char)) this.#write(char)
      else if (char === '{' || char === '[') this.#open(char)
      else if (char === '}' || char === ']') this.#close(char)
      else if (char === ',' || (char === ';' && this.#separates())) this.#comma()
      else if (char === ':') this.#colon()
      else if (this.#opensString(char)) this.#string(char)
      else if (!this.#skipsComment(char)) this.#bare()
    } while (this.#levels.length > 0 && this.at < text.length)
    return this.#written.join('')
  }

  #write(piece: string, taken = piece.length): void {
    this.#written.push(piece)
    this.at += taken
    this.#last = piece.trimEnd().at(-1) ?? this.#last
  }

  /** Writes what is missing before a value or key, and says what comes after it. */
  #before(): void {
    const level = this.#levels.at(-1)
    if (level === undefined) return
    if (level.need === 'comma' || (this.#inWords && level.need === 'value')) {
      this.#write(',', 0)
      level.need = level.close === '}' ? 'key' : 'value'
    } else if (level.need === 'colon') {
      this.#write(':', 0)
      level.need = 'value'
    }
    this.#inWords = false
    level.need = level.need === 'key' ? 'colon' : 'comma'
  }

  #open(char: string): void {
    this.#before()
    const isObject = char === '{'
    this.#levels.push({ close: isObject ? '}' : ']', need: isObject ? 'key' : 'value' })
    if (this.#levels.length > MAX_DEPTH) throw new RangeError('too deep')
    this.#write(char)
  }

  /** Closes what the bracket closes, also when an inner one was forgotten or the wrong one was written. */
  #close(char: string): void {
    const index = this.#levels.findLastIndex(({ close }) => close === char)
    const closed = this.#levels.splice(index).toReversed()
    this.#inWords = false
    this.#write(closed.map(({ close }) => close).join(''), 1)
  }

  #comma(): void {
    const level = this.#levels.at(-1)
    if (level !== undefined) level.need = level.close === '}' ? 'key' : 'value'
    this.#inWords = false
    this.#write('{[,'.includes(this.#last) ? '' : ',', 1)
  }

  #colon(): void {
    const level = this.#levels.at(-1)
    if (level?.need === 'colon') level.need = 'value'
    this.#write(':')
  }

  /** True if a semicolon stands for a comma. */
  #separates(): boolean {
    return this.#levels.at(-1)?.close === ']' || this.#keyFollows(this.at + 1)
  }

  #keyFollows(at: number): boolean {
    KEY_AHEAD.lastIndex = at
    return KEY_AHEAD.test(this.#text)
  }

  #skipsComment(char: string): boolean {
    const text = this.#text
    const before = text.charAt(this.at - 1)
    const isBlock = text.startsWith('/*', this.at)
    const isLine = text.startsWith('//', this.at) || (char === '#' && !/["'\d]/.test(before))
    if (!(isBlock || isLine) || !/[\s,{[\]}"'\d]/.test(before)) return false
    const end = isBlock ? text.indexOf('*/', this.at + 2) : text.indexOf('\n', this.at)
    this.at = end === -1 ? text.length : end + (isBlock ? 2 : 0)
    return true
  }

  /** A quote in the middle of a bare word is a part of the word. */
  #opensString(char: string): boolean {
    if (!CLOSING.has(char)) return false
    return /\s/.test(this.#text.charAt(this.at - 1)) || !/[\w\\]/.test(this.#last)
  }

  #string(open: string): void {
    const text = this.#text
    const close = CLOSING.get(open) ?? open
    const level = this.#levels.at(-1)
    this.#before()
    const isValue = level?.close === '}' && level.need === 'comma'
    let body = ''
    let from = this.at + 1
    for (let at = from; at < text.length; at += 1) {
      const char = text.charAt(at)
      if (char === '\\') {
        at += 1
        if (text.charAt(at) !== "'") continue
        body += text.slice(from, at - 1)
        from = at
      } else if (char === close && this.#ends(at, isValue)) {
        const forgotten = isValue && /^\s*:/.test(text.slice(at + 1, at + 20))
        const end = forgotten ? /,\s*\\$/.exec(body.slice(-20)) : null
        if (end !== null) {
          // Its closing quote was forgotten: the quote was that of the next key.
          this.#write(`"${body.slice(0, -end[0].length)}"`, from - this.at - end[0].length + 1)
          return
        }
        this.#write(`"${body}${text.slice(from, at)}"`, at + 1 - this.at)
        return
      } else if (char === '"') {
        body += `${text.slice(from, at)}\\`
        from = at
      }
    }
    const rest = text.slice(this.at)
    this.#write(rest.length > MAX_OPEN_TEXT ? `"${body}${text.slice(from)}` : rest, rest.length)
  }

  /** True if a quote ends its string, false if it was left unescaped within it. */
  #ends(at: number, isValue: boolean): boolean {
    const text = this.#text
    let next = at + 1
    while (next < text.length && /\s/.test(text.charAt(next))) next += 1
    const char = text.charAt(next)
    if (char === ',' && isValue) return this.#keyFollows(next + 1)
    if (!CLOSING.has(char)) return char === '' || ',}]:;/#=<'.includes(char)
    return next > at + 1 || !/^\s*(?:[,}\]:]|$)/.test(text.slice(next + 1, next + 20))
  }

  /** A bare word: a number, a name, or a part of a text without quotes. */
  #bare(): void {
    const text = this.#text
    let end = this.at + 1
    while (end < text.length && !/[\s,;:{}[\]"]/.test(text.charAt(end))) end += 1
    if (text.startsWith('://', end)) {
      while (end < text.length && !/[\s,}\]"]/.test(text.charAt(end))) end += 1
    }
    const word = text.slice(this.at, end)
    const next = /^\s*([^\s]|$)/.exec(text.slice(end, end + 20))?.[1]
    const level = this.#levels.at(-1)
    const isKey = next === ':' && level?.close === '}' && !word.includes('\\')
    if (isKey && (level.need === 'key' || level.need === 'comma')) {
      this.#before()
      this.#write(JSON.stringify(word), word.length)
      return
    }
    const isFirst = !this.#inWords
    if (isFirst && level?.need !== 'value' && level?.need !== 'key') this.#before()
    if (level !== undefined && level.need !== 'key') level.need = 'value'
    this.#inWords = true
    const isWhole = isFirst && next !== undefined && ',;}]'.includes(next)
    if (isWhole && NOT_FINITE.test(word)) this.#write('null', word.length)
    else if ((isWhole && WITH_SLASH.test(word)) || COMMENT.test(word))
      this.#write(JSON.stringify(word), word.length)
    else {
      if (!isFirst && NUMERIC.test(word) && /\d/.test(this.#last)) this.#write(',', 0)
      this.#write(word.replace(NUMBER, ''), word.length)
    }
  }
}
