import type { Settings } from '../settings/read-settings.ts'
import { jsonMembers } from './json-members.ts'
import { flushLines, printLine } from './stdout-lines.ts'
import { timeText } from './time-text.ts'

const LEVELS = ['debug', 'info', 'warning', 'error', 'silent'] as const
export type Level = (typeof LEVELS)[number]

/** Writes a line to standard output. Never pass secrets. */
export type Log = (level: Exclude<Level, 'silent'>, message: string, details?: object) => void

type Line = { readonly at: string; readonly level: Level; readonly message: string }

/**
 * Writes one line per call, as JSON or readable text. Lines below `LOG_LEVEL` are dropped. Lines are
 * batched (`printLine`), except warnings and errors.
 */
export function createLog(settings: Pick<Settings, 'LOG_LEVEL' | 'LOG_FORMAT'>): Log {
  const lineOf = settings.LOG_FORMAT === 'pretty' ? prettyLine : jsonLine
  const written = new Set(LEVELS.filter((level) => isLogged(settings, level)))
  return (level, message, details = {}) => {
    if (!written.has(level)) return
    printLine(lineOf({ at: timeText(Date.now()), level, message }, details))
    if (level === 'error' || level === 'warning') flushLines()
  }
}

/** True if lines of a level are written. */
export function isLogged(
  { LOG_LEVEL: least = 'info' }: Pick<Settings, 'LOG_LEVEL'>,
  level: Level,
): boolean {
  const threshold = LEVELS.findIndex((known) => known === (least === 'warn' ? 'warning' : least))
  return LEVELS.indexOf(level) >= threshold
}

function jsonLine(line: Line, details: object): string {
  const more = jsonMembers(details)
  return more === '' ? `{${jsonMembers(line)}}` : `{${jsonMembers(line)},${more}}`
}

/** `12:00:00.000 info request method=GET status=200`. */
function prettyLine({ at, level, message }: Line, details: object): string {
  const { stack, ...plain }: { readonly stack?: unknown } = details
  const fields = Object.entries(plain).flatMap(([name, value]: [string, unknown]) =>
    isEmpty(value) ? [] : [`${name}=${prettyValue(value)}`],
  )
  const line = [at.slice(11, 23), level.padEnd(7), visible(message), ...fields].join(' ')
  return typeof stack === 'string' ? `${line}\n${indented(stack)}` : line
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return value === undefined
  return value === null || Object.keys(value).length === 0
}

/** A string that could be read as several fields is quoted. */
function prettyValue(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[^\s"=]+$/.test(value)
  return visible(isPlain ? value : JSON.stringify(value))
}

/** Further lines are indented, so that they cannot pass for lines of the log. */
function indented(stack: string): string {
  const lines = stack.split('\n').map((line) => `    ${visible(line)}`)
  return lines.join('\n')
}

/** Escapes characters that begin lines or control a terminal. */
function visible(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
