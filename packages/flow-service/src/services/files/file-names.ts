import { isFileName } from '../../store/blob-store.ts'
import { refuse } from '../../refusal.ts'

/** Rejects invalid file names, and names that do not fit the name they are stored under. */
export function checkFileName(name: string, stored: string): void {
  if (!isFileName(name) || !isFileName(stored)) {
    throw refuse(400, 'Invalid file name')
  }
}

/** Splits a name at its last dot; the stem is never empty, so `.env` has no extension. */
export function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.')
  if (dot <= 0) return { stem: name, extension: '' }
  return { stem: name.slice(0, dot), extension: name.slice(dot + 1) }
}

/** Reverses `splitName`. */
export function joinName(stem: string, extension: string): string {
  return extension === '' ? stem : `${stem}.${extension}`
}
