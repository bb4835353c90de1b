import { createWriteStream, openSync } from 'node:fs'
import { SettingsError } from '../settings/read-settings.ts'
import { joinedJson } from './joined-json.ts'
import { flushLines, printLine } from './stdout-lines.ts'

export interface AuditLog {
  /** Writes one JSON line. */
  write(entry: object): void
  /** Resolves when all lines are written. */
  close(): Promise<void>
}

const HEAD = JSON.stringify({ log: 'scim.audit' })

/**
 * Writes to standard output, or appends to a file (mode 0600).
 * @throws SettingsError if the file cannot be written
 */
export function openAuditLog(
  target: string | undefined,
  onError: (error: unknown) => void,
): AuditLog {
  const textOf = (entry: object): string => joinedJson(HEAD, JSON.stringify(entry))
  if (target === undefined || target === '' || target === 'stdout') {
    return { write: (entry) => printLine(textOf(entry)), close: async () => flushLines() }
  }
  const out = openFile(target)
  out.on('error', onError)
  return {
    write: (entry) => void out.write(`${textOf(entry)}\n`),
    close: () => new Promise((resolve) => out.end(() => resolve())),
  }
}

function openFile(path: string) {
  try {
    return createWriteStream(path, { fd: openSync(path, 'a', 0o600) })
  } catch (error) {
    throw new SettingsError(`SCIM_AUDIT_LOG: ${error instanceof Error ? error.message : path}`)
  }
}
