import { isObject } from '@x/wire'
import { ScimError } from '../base/errors.ts'
import type { ScimDocument } from '../base/document.ts'
import { fold } from '../base/fold.ts'
import type { AttributePath } from '../schema/attribute-path.ts'
import { isSoftDeletedName } from '../schema/email-address.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { ListQuery } from '../store/list-query.ts'
import type { UserRecord } from '../store/users.ts'
import { notUnique, type Call, type Rules } from './call.ts'
import { primaryEmailKey, userDocument } from './user-record.ts'

/** The addresses of a user, folded: its userName, and its primary or only e-mail address. */
interface Addresses {
  readonly userName: string
  readonly email: string | undefined
}

interface Claim {
  readonly tx: ScimStore
  readonly call: Call
  readonly document: ScimDocument
  /** The user that may hold the addresses already. */
  readonly id: string
}

/**
 * Refuses a new user one of whose addresses is an address of another user, active or not.
 * @throws ScimError uniqueness
 */
export async function assertAddressesFree(rules: Rules, claim: Claim): Promise<void> {
  const { tx, call, document, id } = claim
  const wanted = rules.config.emailConflict === 'primary' ? addressesOf(document) : null
  if (wanted === null) return assertEmailFree(rules, claim)
  const keys = [...new Set([wanted.userName, wanted.email].filter((key) => key !== undefined))]
  await tx.users.lockAddresses?.(call.tenant, keys.toSorted())
  const { email } = wanted
  const named = email === wanted.userName ? undefined : email
  const holder = named === undefined ? undefined : await userNamed({ tx, call }, named)
  if (holder !== undefined && holder.id !== id) throw inUse(call, 'The primary e-mail address')
  for await (const other of withEmail({ tx, call }, keys)) {
    const held = other.id === id ? undefined : addressesOf(userDocument(other))?.email
    if (held === undefined || !keys.includes(held)) continue
    throw held === email
      ? inUse(call, 'The primary e-mail address')
      : taken(call, 'The userName is the e-mail address of another user.')
  }
}

/** D8: the primary e-mail address of a changed user must not be another user's userName. */
export async function assertEmailFree(
  { config }: Rules,
  { tx, call, document, id }: Claim,
): Promise<void> {
  const key = primaryEmailKey(document)
  if (config.emailConflict === 'off' || key === undefined) return
  if (key === fold(String(document['userName']))) return
  const other = await userNamed({ tx, call }, key)
  if (other !== undefined && other.id !== id) {
    call.trace.conflict = 'email'
    throw notUnique('primary e-mail address')
  }
}

/** The user with a folded userName. */
export async function userNamed(
  { tx, call }: Pick<Claim, 'tx' | 'call'>,
  key: string,
): Promise<UserRecord | undefined> {
  const { records } = await tx.users.list(call.tenant, {
    filter: { kind: 'compare', path: USER_NAME, operator: 'eq', value: key },
    limit: 1,
    withTotal: false,
  })
  return records[0]
}

/** null: a person deleted in the directory, whose addresses are free. */
function addressesOf(document: ScimDocument): Addresses | null {
  const userName = String(document['userName'])
  if (document['active'] !== true && isSoftDeletedName(userName)) return null
  return { userName: fold(userName), email: primaryEmailKey(document) ?? onlyEmailKey(document) }
}

function onlyEmailKey(document: ScimDocument): string | undefined {
  const emails: readonly unknown[] = Array.isArray(document['emails']) ? document['emails'] : []
  const [only, second] = emails
  const value = second === undefined && isObject(only) ? only['value'] : undefined
  return typeof value === 'string' ? fold(value) : undefined
}

const PAGE = 200

/** All users with one of some e-mail addresses, primary or not. */
async function* withEmail(
  { tx, call }: Pick<Claim, 'tx' | 'call'>,
  keys: readonly string[],
): AsyncGenerator<UserRecord> {
  const terms = keys.map(
    (value) => ({ kind: 'compare', path: EMAIL, operator: 'eq', value }) as const,
  )
  const filter: ListQuery['filter'] = {
    kind: 'element',
    path: { ...EMAIL, key: 'emails', sub: null, type: 'complex' },
    where: { kind: 'or', terms },
  }
  for (let offset = 0; ; offset += PAGE) {
    const query = { filter, offset, limit: PAGE, withTotal: false }
    const { records } = await tx.users.list(call.tenant, query)
    yield* records
    if (records.length < PAGE) return
  }
}

function inUse(call: Call, address: string): ScimError {
  return taken(call, `${address} is in use.`)
}

function taken({ trace }: Call, detail: string): ScimError {
  trace.conflict = 'email'
  return new ScimError('uniqueness', detail)
}

const TEXT = { urn: null, type: 'string', caseExact: false } as const
export const USER_NAME: AttributePath = {
  ...TEXT,
  key: 'userName',
  name: 'userName',
  sub: null,
  multiValued: false,
}
const EMAIL: AttributePath = {
  ...TEXT,
  key: 'emails.value',
  name: 'emails',
  sub: 'value',
  multiValued: true,
}
