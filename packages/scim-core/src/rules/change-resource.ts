import { isUniqueConflict } from '../store/errors.ts'
import { hookOwnerOf, runHook } from '../store/hooks.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { ResourceTypeName } from '../schema/registry.ts'
import type { OutboxStore } from '../store/outbox.ts'
import { notUnique, type Call, type Rules } from './call.ts'
import { emitAll, lazily, type PendingEvent } from './pending-event.ts'
import { withRetry } from './with-retry.ts'
import { outboxRows } from './outbox-rows.ts'
import { memberChunks, type MemberChange } from './group-members.ts'

/** The change a request is about to commit; `before` and `after` return the JSON of the resource. */
export interface ResourceChange {
  readonly kind: 'create' | 'update' | 'delete'
  readonly resourceType: ResourceTypeName
  readonly before: (() => string) | null
  readonly after: (() => string) | null
  readonly members: MemberChange | null
}

/** The result of a transaction. */
export interface Changed<Result> {
  readonly result: Result
  readonly events: readonly PendingEvent[]
}

/**
 * Runs the transaction of a request, with retries. Its events are written to the outbox as its last
 * writes, and emitted after the commit. A unique index may also be violated at the commit.
 * @throws ScimError uniqueness
 */
export async function changeResource<Result>(
  rules: Rules,
  call: Call,
  work: (tx: ScimStore) => Promise<Changed<Result>>,
): Promise<Result> {
  const { config } = rules
  const awaitsHook = rules.beforeCommit !== undefined
  const announced = async (tx: ScimStore): Promise<Changed<Result>> => {
    const changed = await work(tx)
    await appendToOutbox(rules, { call, tx }, changed.events)
    return changed
  }
  try {
    const { result, events } = await withRetry(rules, () =>
      config.store.transaction(call.tenant, config.outbox ? announced : work, {
        awaitsHook,
        needsVersion: config.etag,
      }),
    )
    emitAll(rules, call, events)
    return result
  } catch (error) {
    if (!isUniqueConflict(error)) throw error
    throw notUnique(attributeOf(error.constraint))
  }
}

/** `displayName` of `group.displayName`. */
function attributeOf(constraint: string): string {
  return constraint.slice(constraint.indexOf('.') + 1)
}

/** Writes the events of a transaction to the outbox, as its last writes. */
export async function appendToOutbox(
  rules: Rules,
  { call, tx }: { readonly call: Call; readonly tx: ScimStore },
  events: readonly PendingEvent[],
): Promise<void> {
  if (events.length > 0) await outboxOf(tx).append(outboxRows(rules, call, events))
}

function outboxOf({ outbox }: ScimStore): OutboxStore {
  if (outbox === undefined) throw new TypeError('The transaction of the store has no outbox')
  return outbox
}

/** Calls the host's `beforeCommit`, after all writes of a transaction. */
export async function callBeforeCommit(
  { config, beforeCommit }: Rules,
  { call, tx }: { readonly call: Call; readonly tx: ScimStore },
  { kind, resourceType, before, after, members }: ResourceChange,
): Promise<void> {
  if (beforeCommit === undefined) return
  const { tenant, actor, context, requestId } = call
  const added = members?.added.length ?? 0
  const removed = members?.removed.length ?? 0
  const readBefore = before && lazily(before)
  const readAfter = after && lazily(after)
  const change = {
    kind,
    resourceType,
    tenant,
    actor,
    get before() {
      return readBefore?.() ?? null
    },
    get after() {
      return readAfter?.() ?? null
    },
    memberChange: added + removed === 0 ? null : { added, removed },
  }
  const tools = {
    store: tx,
    handle: tx.handle,
    context,
    requestId,
    members: () => memberChunks(members),
  }
  await tx.writePending?.()
  await runHook(hookOwnerOf(config.store), () => beforeCommit(change, tools))
}

/** Runs a write that may violate a unique index. @throws ScimError uniqueness */
export async function unique<Result>(
  attribute: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueConflict(error)) throw error
    throw notUnique(attribute === 'value' ? attributeOf(error.constraint) : attribute)
  }
}
