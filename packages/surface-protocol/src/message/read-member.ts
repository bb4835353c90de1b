import { isPlainObject, ownValue } from '../json.ts'
import type { Finding, Report } from '../diagnostics/report.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * The one of `kinds` that a message contains; null after reporting that there is not exactly one.
 */
export function readKind<Kind extends string>(
  value: unknown,
  kinds: readonly Kind[],
  report: Report,
): Kind | null {
  const present = isPlainObject(value) ? kinds.filter((kind) => value[kind] !== undefined) : []
  const [kind] = present
  if (present.length === 1 && kind !== undefined) return kind
  report.must('malformed_message', `an object with exactly one of ${kinds.join(', ')}`)
  return null
}

/** A required member. */
export function readMember(members: Members, name: string, report: Report): unknown {
  const value = ownValue(members, name)
  if (value === undefined) report.missing('missing_field', name)
  return value
}

/** The object under a message's kind, onto whose path the report moves; null after reporting that it is none. */
export function readPayload(
  message: Members,
  kind: string,
  report: Report,
): Readonly<Record<string, unknown>> | null {
  const payload = message[kind]
  report.path.push(kind)
  if (isPlainObject(payload)) return payload
  report.must('invalid_type', 'an object')
  return null
}

/** A required non-empty string; null after reporting a problem. */
export function readText(members: Members, name: string, report: Report): string | null {
  const value = readMember(members, name, report)
  if (value === undefined) return null
  if (typeof value !== 'string') report.must('invalid_type', 'a string', { at: [name] })
  else if (value === '') report.must('invalid_value', 'a string with characters', { at: [name] })
  else return value
  return null
}

/** The same, limited to the length of an id. */
export function readId(members: Members, name: string, report: Report): string | null {
  const id = readText(members, name, report)
  if (id === null || id.length <= report.limits.idLength) return id
  report.exceeds('idLength', { at: [name] })
  return null
}

/** Reports unknown members; from version 0.9 on also in tolerant mode. */
export function refuseOthers(
  members: Members,
  known: readonly string[],
  report: Report,
  finding?: Finding,
): void {
  // Unlike Object.keys, this allocates no array.
  for (const name in members) {
    if (known.includes(name) || members[name] === undefined) continue
    if (Object.hasOwn(members, name)) report.unknown('unknown_key', name, finding)
  }
}

/** Findings that are errors even in tolerant mode. */
export const FATAL: Finding = { fatal: true }
