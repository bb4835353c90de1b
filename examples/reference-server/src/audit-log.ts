import { createWriteStream } from 'node:fs'

/** Writes one JSON line for each entry, to standard output or to the end of a file. */
export function openAuditLog(target: string | undefined): (entry: object) => void {
  const out =
    target === undefined || target === '' || target === 'stdout'
      ? process.stdout
      : createWriteStream(target, { flags: 'a', mode: 0o600 })
  return (entry) => void out.write(`${JSON.stringify({ log: 'scim.audit', ...entry })}\n`)
}
