/** Characters that models write as white space, beyond those of JSON. */
const ODD_SPACE = '\\u00a0\\u2000-\\u200d\\u2028\\u2029\\u202f\\u2060\\u3000\\ufeff'
const QUOTES = '"\'`\\u2018-\\u201f'
const SPACE = `[\\s${ODD_SPACE}]{0,200}`
const COMMENT = '//|/\\*|#|<!--'
const CLOSER = '\\]}\\uff3d\\uff5d'
const COMMA = '[,\\uff0c]'
const COLON = '[:\\uff1a]'
const KEY = `(?:[${QUOTES}](?:[^${QUOTES}\\\\\\n]|\\\\.){0,120}[${QUOTES}]|[\\p{L}\\p{N}_$]{1,80})${SPACE}${COLON}`
const CLOSED = `[${CLOSER}][ \\t${ODD_SPACE}${CLOSER}]{0,100}(?:[\\r\\n,\\uff0c;)<{/#.+]|$|${KEY})`
const JOINED = `\\+${SPACE}[${QUOTES}]`

/** What may stand behind a string, by where the string stands: a quotation mark before anything else is text. */
export const behindString = {
  key: new RegExp(`${SPACE}(?:${COLON}|$)`, 'yu'),
  member: new RegExp(
    `${SPACE}(?:${COMMA}${SPACE}(?:${KEY}|[${CLOSER},\\uff0c{]|$|${COMMENT})|${CLOSED}|${JOINED}|//|/\\*|<!--|$)|\\s${SPACE}(?:${KEY}|#)`,
    'yu',
  ),
  element: new RegExp(
    `${SPACE}(?:${COMMA}${SPACE}(?:[${QUOTES}${CLOSER}{[\\uff5b\\uff3b\\d.+,\\uff0c-]|true|false|null|True|False|None|$|${COMMENT})|${CLOSED}|${JOINED}|//|/\\*|<!--|$)|\\s${SPACE}(?:[${QUOTES}{[]|#)`,
    'yu',
  ),
  top: new RegExp(`${SPACE}(?:[,\\uff0c;)\\]}<]|${JOINED}|$)|\\s`, 'yu'),
} as const

/** Where a string stands. */
export type StringPlace = keyof typeof behindString

/** The characters that patterns look at behind a quotation mark. */
export const LOOK_AHEAD = 720

/** A member's name at a position: quoted or bare. */
export const keyAhead = new RegExp(KEY, 'yu')

/** White space as models write it. */
export const spaces = new RegExp(`[\\s${ODD_SPACE}]*`, 'y')
/** White space that JSON does not have. */
export const oddSpace = new RegExp(`[${ODD_SPACE}\\v\\f]`)

const MESSAGE_KEYS =
  'createSurface|updateComponents|updateDataModel|deleteSurface|callFunction|callRendererFunction|agentFunctionResponse|beginRendering|surfaceUpdate|dataModelUpdate'
const Q = `[${QUOTES}]?`
const MESSAGE = `${Q}(?:${MESSAGE_KEYS})${Q}${SPACE}${COLON}${SPACE}[{\\uff5b]`
const VERSION = `${Q}version${Q}${SPACE}${COLON}${SPACE}${Q}v?\\d[\\d.]{0,8}${Q}${SPACE}[,\\uff0c\\s]${SPACE}`

/** The beginning of a message. */
export const messageAhead = new RegExp(`[{\\uff5b]${SPACE}(?:${VERSION})?${MESSAGE}`, 'yu')
/** A message's key anywhere. */
export const messageKey = new RegExp(MESSAGE, 'u')
/** What stands in front of messages in a chat's answer or a tool's call. */
const WORDS = `(?:"(?:text|message|response|name|tool|type)"${SPACE}:${SPACE}"(?:[^"\\\\\\n]|\\\\.){0,120}"${SPACE},${SPACE})`

/** The beginning of an object that may be a message or hold messages. */
export const messagesAhead = new RegExp(
  `[{\\uff5b]${SPACE}(?:${MESSAGE}|${Q}version${Q}${SPACE}${COLON}${SPACE}${Q}v?\\d|${WORDS}?${Q}(?:messages|a2ui_operations|a2ui|a2ui_messages)${Q}${SPACE}${COLON}${SPACE}[[{"]|${WORDS}${Q}(?:arguments|args|input|parameters)${Q}${SPACE}${COLON}${SPACE}[[{])`,
  'yu',
)

/** Matches a sticky or global pattern at a position. */
export function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}
