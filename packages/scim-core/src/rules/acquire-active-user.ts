import { isObject } from '@x/wire'
import { fold } from '../base/fold.ts'
import type { AttributePath } from '../schema/attribute-path.ts'
import { hookOwnerOf, runHook } from '../store/hooks.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserRecord } from '../store/users.ts'
import { USER_NAME } from './addresses.ts'
import type { Rules } from './call.ts'
import { EXTERNAL_ID } from './returning-user.ts'
import { withRetry } from './with-retry.ts'

/** The person who signs in: exactly one of the three, and never an e-mail address as such. */
export type SignInName =
  | { readonly id: string }
  | { readonly externalId: string }
  | { readonly userName: string }

/** Why nobody is signed in. `deleted`: a tombstone is kept. */
export type NotActive = 'unknown' | 'inactive' | 'deleted' | 'ambiguous'

/** The result of `acquireActiveUser`. */
export type Acquired<T> =
  | { readonly ok: true; readonly user: UserRecord; readonly value: T }
  | { readonly ok: false; readonly reason: NotActive }

/** What runs while the person cannot be deactivated. */
export type ActiveUserWork<T> = (active: {
  readonly user: UserRecord
  /** The transaction of the store, in which a session is inserted; as in store hooks. */
  readonly handle: unknown
}) => T | Promise<T>

/**
 * Checks that a person is active and runs `work` in the same transaction, which holds the record of the
 * person: a request that deactivates waits for it or comes first.
 * @throws TypeError unless `who` has exactly one name; what `work` throws, after everything is rolled back
 */
export async function acquireActiveUser<T>(
  rules: Rules,
  tenant: string,
  who: SignInName,
  work: ActiveUserWork<T>,
): Promise<Acquired<T>> {
  const named = readName(who)
  const { store } = rules.config
  const owner = hookOwnerOf(store)
  return withRetry(rules, () =>
    store.transaction(
      tenant,
      async (tx): Promise<Acquired<T>> => {
        const found = await find(tx, tenant, named)
        if (typeof found === 'string') return { ok: false, reason: found }
        const user = await tx.users.get(tenant, found.id, { forUpdate: true })
        // Between the two reads the person may have been removed, or have got another name.
        if (user === null || !isNamed(user, named))
          return { ok: false, reason: await absence(tx, tenant, named) }
        if (user.active !== true) return { ok: false, reason: 'inactive' }
        await tx.writePending?.()
        const value = await runHook(owner, () => work({ user, handle: tx.handle }))
        return { ok: true, user, value }
      },
      { awaitsHook: true },
    ),
  )
}

interface Named {
  readonly by: 'id' | 'externalId' | 'userName'
  readonly value: string
}

const NAMES: readonly string[] = ['id', 'externalId', 'userName']

function readName(who: unknown): Named {
  const names = isObject(who) ? Object.keys(who) : []
  const [by, second] = names
  const value = isObject(who) && by !== undefined ? who[by] : undefined
  if (second === undefined && typeof value === 'string' && NAMES.includes(by ?? ''))
    return { by: by as Named['by'], value }
  throw new TypeError('who must have exactly one of id, externalId and userName, a string')
}

async function find(
  tx: ScimStore,
  tenant: string,
  named: Named,
): Promise<Pick<UserRecord, 'id'> | NotActive> {
  const { by, value } = named
  if (by === 'id') return { id: value }
  const path: AttributePath = by === 'userName' ? USER_NAME : EXTERNAL_ID
  const key = by === 'userName' ? fold(value) : value
  const { records } = await tx.users.list(tenant, {
    filter: { kind: 'compare', path, operator: 'eq', value: key },
    limit: 2,
    withTotal: false,
  })
  const [only, second] = records
  if (only === undefined) return absence(tx, tenant, named)
  return second === undefined ? only : 'ambiguous'
}

function isNamed({ id, externalId, userNameKey }: UserRecord, { by, value }: Named): boolean {
  if (by === 'id') return id === value
  return by === 'externalId' ? externalId === value : userNameKey === fold(value)
}

/** A tombstone has released its userName, so that it is found by the other two. */
async function absence(tx: ScimStore, tenant: string, { by, value }: Named): Promise<NotActive> {
  if (by === 'userName' || tx.users.wasDeleted === undefined) return 'unknown'
  return (await tx.users.wasDeleted(tenant, { by, value })) ? 'deleted' : 'unknown'
}
