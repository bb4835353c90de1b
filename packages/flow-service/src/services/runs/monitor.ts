import type { AuditRecord } from '../../store/audit.ts'
import type { TransactionRecord, VertexBuildRecord } from '../../store/build-records.ts'
import type { MessagePatch, StoredMessageQuery, StoredMessage } from '../../store/messages.ts'
import { refuse, type Refusal } from '../../refusal.ts'
import type { PageParts } from '../../store/page-parts.ts'
import type { Caller } from '../base/caller.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { inParts } from '../records/in-parts.ts'
import { orderedMessages } from './ordered-messages.ts'

/** Changeable fields of a message; undefined means unchanged. */
export type MessageChanges = {
  readonly [
    K in keyof Omit<MessagePatch, 'timestamp' | 'category' | 'contentBlocks' | 'duration'>
  ]: MessagePatch[K] | undefined
}

/** Message filters; the empty string counts as absent. */
export type MessageFilter = Pick<
  StoredMessageQuery,
  'flowId' | 'sessionId' | 'sender' | 'senderName' | 'orderBy'
>

/** Selects audit records. */
export interface AuditPage {
  readonly limit: number
  readonly before?: string | null | undefined
  readonly action?: string | null | undefined
  readonly actor_id?: string | null | undefined
  readonly target_id?: string | null | undefined
}

/** Messages, vertex builds and transactions of a user's flows. */
export interface MonitorService {
  /** The newest build of each node in parts; none for a flow of another user. */
  builds(caller: Caller, flowId: string): AsyncIterable<readonly VertexBuildRecord[]>
  removeBuilds(caller: Caller, flowId: string): Promise<void>
  sessions(caller: Caller, flowId?: string): AsyncIterable<readonly string[]>
  /**
   * The messages in parts. Only the orders of insertion and time take lists of any length.
   * @throws Refusal 400 while they are read, if there are too many for another order
   */
  messages(caller: Caller, filter: MessageFilter): AsyncIterable<readonly StoredMessage[]>
  /** @throws Refusal 404 */
  updateMessage(caller: Caller, id: string, changes: MessageChanges): Promise<StoredMessage>
  removeMessages(caller: Caller, ids: readonly string[]): Promise<void>
  /**
   * The renamed messages in parts.
   * @throws Refusal 404 while they are read, if no message has the name
   */
  renameSession(
    caller: Caller,
    from: string,
    to: string,
  ): Promise<AsyncIterable<readonly StoredMessage[]>>
  removeSession(caller: Caller, sessionId: string): Promise<void>
  transactions(
    caller: Caller,
    flowId: string,
    page: { page: number; size: number },
  ): Promise<PageParts<TransactionRecord>>
  /**
   * Audit records, newest first; superusers only.
   * @throws Refusal 404 if no records are stored
   */
  audit(query: AuditPage): Promise<AuditRecord[]>
}

export function createMonitorService({
  store,
  records,
  audit,
}: ServiceDependencies): MonitorService {
  const owns = async (caller: Caller, flowId: string): Promise<boolean> =>
    (await store.flows.get(flowId))?.userId === caller.id

  return {
    async audit({ limit, before, action, actor_id: actorId, target_id: targetId }) {
      if (audit === undefined) throw refuse(404, 'Not Found')
      const selected = Object.entries({ before, action, actorId, targetId })
      const given = selected.filter(([, value]) => value !== null && value !== undefined)
      return audit.list({ limit, ...(Object.fromEntries(given) as Record<string, string>) })
    },
    async *builds(caller, flowId) {
      if (!(await owns(caller, flowId))) return
      await records.flush()
      const { vertexBuilds } = store
      yield* inParts(vertexBuilds.latestParts?.(flowId), () => vertexBuilds.latest(flowId))
    },
    async removeBuilds(caller, flowId) {
      if (!(await owns(caller, flowId))) return
      await records.flush()
      await store.vertexBuilds.removeOfFlow(flowId)
    },
    sessions: (caller, flowId) =>
      inParts(store.messages.sessionParts?.(caller.id, flowId), () =>
        store.messages.sessions(caller.id, flowId),
      ),
    messages: (caller, filter) =>
      orderedMessages(store.messages, { userId: caller.id, ...filled(filter) }),
    async updateMessage(caller, id, changes) {
      const message = await store.messages.get(id)
      if (message === null || message.userId !== caller.id || message.flowId === null) {
        throw refuse(404, 'Message not found')
      }
      const edited = changes.text !== undefined && changes.text !== message.text
      const patch = { ...filled(changes), ...(edited ? { edit: true } : {}) }
      return (await store.messages.update(id, patch)) ?? message
    },
    removeMessages: (caller, ids) => store.messages.remove(ids, caller.id),
    async renameSession(caller, from, to) {
      const { messages } = store
      const renamed = inParts(await messages.renameSessionParts?.(caller.id, from, to), () =>
        messages.renameSession(caller.id, from, to),
      )
      return notEmpty(renamed, () => refuse(404, 'No messages found with the given session ID'))
    },
    removeSession: (caller, sessionId) => store.messages.removeSession(caller.id, sessionId),
    async transactions(caller, flowId, { page, size }) {
      if (!(await owns(caller, flowId))) return { items: [], total: 0 }
      await records.flush()
      const { transactions } = store
      const slice = { offset: (page - 1) * size, limit: size }
      if (transactions.parts === undefined) {
        const { items, total } = await transactions.list(flowId, slice)
        return { items: [items], total }
      }
      const { total } = await transactions.list(flowId, { limit: 0 })
      return { items: transactions.parts(flowId, slice), total }
    },
  }
}

async function* notEmpty<Row>(
  parts: AsyncIterable<readonly Row[]>,
  refusal: () => Refusal,
): AsyncGenerator<readonly Row[]> {
  let isEmpty = true
  for await (const part of parts) {
    if (part.length === 0) continue
    isEmpty = false
    yield part
  }
  if (isEmpty) throw refusal()
}

/** Removes undefined properties. */
function filled<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}
