import { usernameProblem } from '@x/flow-service'
import type { SourceFlow, SourceMessage, SourceUser } from './source.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Maximum characters of a flow's data. */
const MOST_DATA = 32 * 1024 * 1024
const DEEPEST = 200
const MOST_VALUES = 1_000_000
/** NUL and lone surrogates. */
const UNSTORABLE = /[\0\p{Cs}]/u
const LONGEST_NAME = 1_000

/** The parts of every record that are checked. */
interface WithId {
  readonly id: string
}

/**
 * The reason why a record of the source cannot be stored; null if it can. Ids become parts of paths, and
 * databases do not agree on NUL characters and lone surrogates.
 */
export function problemOf(record: WithId): string | null {
  if (!UUID.test(record.id)) return 'its id is not a UUID'
  for (const [field, value] of Object.entries(record)) {
    const texts: unknown[] = Array.isArray(value) ? value : [value]
    if (!texts.every(isStorable)) return `its ${field} has characters that cannot be stored`
    if (/name$/i.test(field) && typeof value === 'string' && value.length > LONGEST_NAME)
      return `its ${field} has more than ${LONGEST_NAME} characters`
  }
  return null
}

/** The same for a user, whose name must not pass for another's. */
export function problemOfUser(user: SourceUser): string | null {
  const problem = problemOf(user)
  if (problem !== null) return problem
  const ofName = user.username === '' ? 'must not be empty' : usernameProblem(user.username)
  return ofName === null ? null : `a user name ${ofName}`
}

/** The same for a message. */
export function problemOfMessage(message: SourceMessage): string | null {
  const { properties, contentBlocks } = message
  const parts = [properties, contentBlocks]
  if (!parts.every((part) => isBounded(part))) return 'its contents are too large'
  return problemOf(message)
}

/** The same for a flow, whose data the editor must be able to open. */
export function problemOfFlow(flow: SourceFlow): string | null {
  const problem = problemOf(flow)
  if (problem !== null || flow.data === null) return problem
  return isGraph(flow.data) ? null : 'its data is not a flow'
}

function isStorable(value: unknown): boolean {
  if (typeof value !== 'string') return true
  return !UNSTORABLE.test(value)
}

function isGraph(text: string): boolean {
  if (text.length > MOST_DATA) return false
  try {
    const data: unknown = JSON.parse(text)
    return typeof data === 'object' && data !== null && !Array.isArray(data) && isBounded(data)
  } catch {
    return false
  }
}

/** True if a value has the depth and size that the service accepts (AB-52); counts without recursion. */
export function isBounded(value: unknown, mostValues = MOST_VALUES): boolean {
  let level: unknown[] = [value]
  let count = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return false
    const next: unknown[] = []
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue
      for (const member of Object.values(one)) {
        count += 1
        if (count > mostValues) return false
        next.push(member)
      }
    }
    level = next
  }
  return true
}
