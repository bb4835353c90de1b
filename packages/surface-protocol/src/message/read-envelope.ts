import { quote } from '../diagnostics/errors.ts'
import type { Report } from '../diagnostics/report.ts'
import { isPlainObject, ownValue } from '../json.ts'
import { refuseOthers, FATAL } from './read-member.ts'

/** A version's rules for members besides the message key, from 0.9 on. */
export interface EnvelopeRules {
  /** Accepted values of `version`. */
  readonly versions: readonly string[]
  /** Keys that only occur in messages of other versions. */
  readonly foreign: readonly string[]
}

/** The version and message key of an envelope; null after reporting a problem. */
export function readEnvelope<K extends string>(
  value: unknown,
  { kinds, rules, report }: { kinds: readonly K[]; rules: EnvelopeRules; report: Report },
): K | null {
  const usual = isPlainObject(value) ? readValidKind(value, kinds, rules) : null
  if (usual !== null) return usual
  if (!isPlainObject(value)) {
    report.must(
      'malformed_message',
      `an object with version and exactly one of ${kinds.join(', ')}`,
    )
    return null
  }
  if (!checkVersion(value, rules, report)) return null
  const present = kinds.filter((kind) => value[kind] !== undefined)
  const [kind] = present
  if (present.length !== 1 || kind === undefined) {
    report.must('malformed_message', `an object with exactly one of ${kinds.join(', ')}`)
    return null
  }
  refuseOthers(value, [kind, 'version'], report, FATAL)
  return report.errors > 0 ? null : kind
}

/**
 * Reads a message: its envelope, then its payload with `read`. The draft may only be used if the report has no
 * errors.
 */
export function readDraft<K extends string, Draft>(
  value: unknown,
  envelope: { kinds: readonly K[]; rules: EnvelopeRules; report: Report },
  read: (kind: K, payload: Record<string, unknown>, report: Report) => Draft | null,
): Draft | null {
  const { report } = envelope
  report.message = value
  const kind = readEnvelope(value, envelope)
  if (kind === null || !isPlainObject(value)) return null
  const payload = value[kind]
  report.path.push(kind)
  const draft = isPlainObject(payload) ? read(kind, payload, report) : null
  if (!isPlainObject(payload)) report.must('invalid_type', 'an object')
  report.path.pop()
  return report.errors > 0 ? null : draft
}

/** The message key of a valid envelope, found in one pass; else null. */
function readValidKind<K extends string>(
  value: Record<string, unknown>,
  kinds: readonly K[],
  { versions }: EnvelopeRules,
): K | null {
  let members = 0
  for (const _ in value) members += 1
  if (members !== 2 || !versions.includes(value.version as string)) return null
  for (const kind of kinds) if (value[kind] !== undefined) return kind
  return null
}

function checkVersion(
  value: Record<string, unknown>,
  { versions, foreign }: EnvelopeRules,
  report: Report,
): boolean {
  const version = ownValue(value, 'version')
  if (version === undefined) {
    const message = `A message says its version: ${listOf(versions, 'or')}.`
    report.add('missing_version', message, { at: ['version'] })
    return false
  }
  if (typeof version !== 'string') {
    report.must('invalid_type', 'a string', { at: ['version'] })
    return false
  }
  if (!versions.includes(version)) {
    const isAre = versions.length === 1 ? 'is' : 'are'
    const found = quote(version)
    const message = `The version is ${found}; ${listOf(versions, 'and')} ${isAre} accepted.`
    report.add('unsupported_version', message, { at: ['version'] })
    return false
  }
  const found = foreign.find((key) => value[key] !== undefined)
  if (found === undefined) return true
  report.add('unsupported_version', `${quote(found)} belongs to another version.`, { at: [found] })
  return false
}

function listOf(versions: readonly string[], word: string): string {
  return versions.map((one) => `"${one}"`).join(` ${word} `)
}
