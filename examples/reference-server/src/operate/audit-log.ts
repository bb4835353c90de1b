import { createWriteStream, openSync } from 'node:fs'
import { SettingsError } from '../settings/read-settings.ts'
import { jsonMembers } from './json-members.ts'
import { flushLines, printLine } from './stdout-lines.ts'

export interface AuditLog {
  /** Writes one JSON line. */
  write(entry: object): void
  /** Resolves when all lines are written. */
  close(): Promise<void>
}

/**
 * Writes to standard output, or appends to a file (mode 0600).
 * @throws SettingsError if the file cannot be written
 */
export function openAuditLog(
  target: string | undefined,
  onError: (error: unknown) => void,
): AuditLog {
  const textOf = (entry: object): string => `{"log":"scim.audit",${jsonMembers(entry)}}`
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
