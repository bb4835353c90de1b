import type { Settings } from './settings/read-settings.ts'

const LEVELS = ['debug', 'info', 'warning', 'error', 'silent'] as const
export type Level = (typeof LEVELS)[number]

/** One JSON line for each call, to standard output; never secrets. */
export type Log = (level: Exclude<Level, 'silent'>, message: string, details?: object) => void

/** @param least lower levels are not written */
export function createLog(least: Settings['LOG_LEVEL']): Log {
  const threshold = LEVELS.findIndex((level) => level === (least ?? 'info'))
  return (level, message, details = {}) => {
    if (LEVELS.indexOf(level) < threshold) return
    const line = JSON.stringify({ at: new Date().toISOString(), level, message, ...details })
    process.stdout.write(`${line}\n`)
  }
}
