import { isUniqueConflict } from '../store/errors.ts'
import { hookOwnerOf, runHook } from '../store/hooks.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { ResourceTypeName } from '../schema/registry.ts'
import { frozen, notUnique, withRetry, type Call, type Rules } from './call.ts'
import { memberChunks, type MemberChange } from './group-members.ts'

/** What a request is about to commit; `before` and `after` give the texts of the resource. */
export interface ResourceChange {
  readonly kind: 'create' | 'update' | 'delete'
  readonly resourceType: ResourceTypeName
  readonly before: (() => string) | null
  readonly after: (() => string) | null
  readonly members: MemberChange | null
}

/**
 * The transaction of one request, repeated when the store asks for it (SH-62). A unique index may also
 * refuse it at its end (SH-7).
 * @throws ScimError uniqueness
 */
export async function changeResource<Result>(
  rules: Rules,
  { tenant }: Call,
  work: (tx: ScimStore) => Promise<Result>,
): Promise<Result> {
  const awaitsHook = rules.beforeCommit !== undefined
  try {
    return await withRetry(rules, () =>
      rules.config.store.transaction(tenant, work, { awaitsHook }),
    )
  } catch (error) {
    if (!isUniqueConflict(error)) throw error
    throw notUnique(error.constraint === 'user.userName' ? 'userName' : 'displayName')
  }
}

/** Asks the host's `beforeCommit`, after all writes of a transaction and before its commit (SH-13). */
export async function askHost(
  { config, beforeCommit }: Rules,
  { call, tx }: { readonly call: Call; readonly tx: ScimStore },
  { kind, resourceType, before, after, members }: ResourceChange,
): Promise<void> {
  if (beforeCommit === undefined) return
  const { tenant, actor, context, requestId } = call
  const added = members?.added.length ?? 0
  const removed = members?.removed.length ?? 0
  const change = {
    kind,
    resourceType,
    tenant,
    actor,
    before: before && frozen(before()),
    after: after && frozen(after()),
    memberChange: added + removed === 0 ? null : { added, removed },
  }
  const tools = {
    store: tx,
    handle: tx.handle,
    context,
    requestId,
    members: () => memberChunks(members),
  }
  await runHook(hookOwnerOf(config.store), () => beforeCommit(change, tools))
}

/** A write that a unique index may refuse. @throws ScimError uniqueness */
export async function unique<Result>(
  attribute: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    throw isUniqueConflict(error) ? notUnique(attribute) : error
  }
}
