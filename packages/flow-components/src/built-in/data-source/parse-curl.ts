import { append, encodeBase64 } from '@x/wire'

/** The request described by a curl command. */
export interface CurlRequest {
  readonly url: string
  readonly method: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Undefined if the command sends no body. */
  readonly body: string | undefined
}

/**
 * Parses a curl command as written by shells and browsers: quotes, `$'...'`, line continuations, combined
 * short options (`-sXPOST`). Options that do not affect the request are ignored.
 * @throws SyntaxError for other text, an unclosed quote, or a file as body (`-d @file`)
 */
export function parseCurl(command: string): CurlRequest {
  const [program, ...words] = splitWords(command)
  if (program !== 'curl') throw new SyntaxError('a cURL command starts with "curl"')
  const options = readOptions(words)
  const all = (name: string): string[] =>
    options.filter((option) => option.name === name).map(({ value }) => value)
  const last = (name: string): string | undefined => all(name).at(-1)

  const body = readBody(options)
  const asQuery = options.some(({ name }) => name === 'get')
  const method = last('request') ?? (asQuery ? 'GET' : defaultMethod(options, body))
  const url = last('url')
  if (url === undefined) throw new SyntaxError('the cURL command has no URL')
  return {
    url: asQuery && body !== undefined ? `${url}${url.includes('?') ? '&' : '?'}${body}` : url,
    method: method.toUpperCase(),
    headers: readHeaders(all),
    body: asQuery ? undefined : body,
  }
}

interface CurlOption {
  readonly name: string
  readonly value: string
}

/** Maps short options to their long names; those in `OPTIONS_WITH_VALUE` take a value. */
const SHORT = new Map([
  ['X', 'request'],
  ['H', 'header'],
  ['d', 'data'],
  ['A', 'user-agent'],
  ['b', 'cookie'],
  ['e', 'referer'],
  ['u', 'user'],
  ['G', 'get'],
  ['I', 'head'],
  ['F', 'form'],
  ['o', 'output'],
  ['m', 'max-time'],
  ['x', 'proxy'],
  ['w', 'write-out'],
  ['c', 'cookie-jar'],
  ['E', 'cert'],
  ['T', 'upload-file'],
  ['r', 'range'],
  ['K', 'config'],
  ['D', 'dump-header'],
])

const OPTIONS_WITH_VALUE = new Set(
  `request header user-agent cookie referer user form form-string output url url-query oauth2-bearer
  data data-raw data-binary data-ascii data-urlencode json max-time connect-timeout retry range
  proxy proxy-user write-out cookie-jar cert key cacert capath upload-file config dump-header resolve
  max-redirs limit-rate interface tls-max ciphers`.split(/\s+/),
)

const DATA = new Set(['data', 'data-raw', 'data-binary', 'data-ascii', 'data-urlencode', 'json'])

function readOptions(words: readonly string[]): CurlOption[] {
  const options: CurlOption[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const next = (): string => words[(at += 1)] ?? ''
    if (word.startsWith('--')) options.push(longOption(word.slice(2), next))
    else if (word.startsWith('-') && word.length > 1) append(options, shortOptions(word, next))
    else options.push({ name: 'url', value: word })
  }
  return options
}

function longOption(word: string, next: () => string): CurlOption {
  return { name: word, value: OPTIONS_WITH_VALUE.has(word) ? next() : '' }
}

/** Expands `-sXPOST`: the first option that takes a value consumes the rest of the word. */
function shortOptions(word: string, next: () => string): CurlOption[] {
  const options: CurlOption[] = []
  for (let at = 1; at < word.length; at += 1) {
    const name = SHORT.get(word.charAt(at)) ?? word.charAt(at)
    if (OPTIONS_WITH_VALUE.has(name)) {
      const rest = word.slice(at + 1)
      return [...options, { name, value: rest === '' ? next() : rest }]
    }
    options.push({ name, value: '' })
  }
  return options
}

function defaultMethod(options: readonly CurlOption[], body: string | undefined): string {
  if (options.some(({ name }) => name === 'head')) return 'HEAD'
  return body === undefined ? 'GET' : 'POST'
}

function readBody(options: readonly CurlOption[]): string | undefined {
  const parts = options.filter(({ name }) => DATA.has(name))
  if (options.some(({ name }) => name === 'form' || name === 'upload-file')) {
    throw new SyntaxError('forms and file uploads are not supported')
  }
  if (parts.length === 0) return undefined
  return parts.map(readDataPart).join('&')
}

function readDataPart({ name, value }: CurlOption): string {
  if (name !== 'data-raw' && name !== 'data-urlencode' && value.startsWith('@')) {
    throw new SyntaxError(`the body cannot be read from the file ${value.slice(1)}`)
  }
  if (name !== 'data-urlencode') return value
  const [, key = '', text = value] = /^([^=]*)=([\s\S]*)$/.exec(value) ?? []
  return key === '' ? encodeURIComponent(text) : `${key}=${encodeURIComponent(text)}`
}

function readHeaders(all: (name: string) => string[]): [string, string][] {
  const headers = all('header').flatMap((line): [string, string][] => {
    const colon = line.indexOf(':')
    if (colon <= 0) return []
    return [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]]
  })
  const add = (name: string, value: string | undefined): void => {
    const taken = headers.some(([given]) => given.toLowerCase() === name.toLowerCase())
    if (value !== undefined && !taken) headers.push([name, value])
  }
  const user = all('user').at(-1)
  const token = all('oauth2-bearer').at(-1)
  const cookies = all('cookie').filter((cookie) => cookie.includes('='))
  add('User-Agent', all('user-agent').at(-1))
  add('Referer', all('referer').at(-1))
  add('Cookie', cookies.length === 0 ? undefined : cookies.join('; '))
  add('Authorization', user === undefined ? undefined : `Basic ${encodeBasic(user)}`)
  add('Authorization', token === undefined ? undefined : `Bearer ${token}`)
  if (all('json').length > 0) {
    add('Content-Type', 'application/json')
    add('Accept', 'application/json')
  }
  return headers
}

function encodeBasic(user: string): string {
  return encodeBase64(new TextEncoder().encode(user))
}

const WORD_PARTS =
  /\\\r?\n|\s+|\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\$]+|\$)/y

/** Splits a command into words like a shell, without expansion. */
function splitWords(command: string): string[] {
  const text = command.trim()
  const words: string[] = []
  let word: string | undefined
  WORD_PARTS.lastIndex = 0
  while (WORD_PARTS.lastIndex < text.length) {
    const found = WORD_PARTS.exec(text)
    if (found === null) throw new SyntaxError('the cURL command has an unclosed quote')
    const [whole, escaped, single, double, letter, plain] = found
    const part =
      single ?? letter ?? plain ?? (escaped === undefined ? undefined : unescapeAnsi(escaped))
    const piece = part ?? double?.replaceAll(/\\(["\\$`\n])/g, '$1')
    if (piece !== undefined) word = (word ?? '') + piece
    else if (!whole.startsWith('\\') && word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}

const ANSI = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['0', '\0'],
])

function unescapeAnsi(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|([\s\S]))/gi,
    (_whole, two?: string, four?: string, one?: string) => {
      const code = two ?? four
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
      return ANSI.get(one ?? '') ?? one ?? ''
    },
  )
}
