import { createWriteStream, openSync } from 'node:fs'
import { SettingsError } from './settings/read-settings.ts'

export interface AuditLog {
  /** One JSON line. */
  write(entry: object): void
  /** Resolves when all lines are written. */
  close(): Promise<void>
}

/**
 * Writes to standard output or to the end of a file (mode 0600).
 * @throws SettingsError when the file cannot be written
 */
export function openAuditLog(
  target: string | undefined,
  onError: (error: unknown) => void,
): AuditLog {
  const isFile = target !== undefined && target !== '' && target !== 'stdout'
  const out = isFile ? openFile(target) : process.stdout
  if (isFile) out.on('error', onError)
  return {
    write: (entry) => void out.write(`${JSON.stringify({ log: 'scim.audit', ...entry })}\n`),
    close: () =>
      new Promise((resolve) => {
        if (isFile) out.end(() => resolve())
        else resolve()
      }),
  }
}

function openFile(path: string) {
  try {
    return createWriteStream(path, { fd: openSync(path, 'a', 0o600) })
  } catch (error) {
    throw new SettingsError(`SCIM_AUDIT_LOG: ${error instanceof Error ? error.message : path}`)
  }
}
