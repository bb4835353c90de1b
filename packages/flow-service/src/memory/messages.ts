import type { StoredMessageQuery, MessageStore, StoredMessage } from '../store/messages.ts'
import { compareValues, copy, copyOrNull, patched } from '@x/wire'
import type { MemoryTables } from './tables.ts'

/** Creates the in-memory message store. */
export function createMessages({ messages }: MemoryTables): MessageStore {
  const ofUser = (userId: string, flowId?: string): StoredMessage[] =>
    messages.filter(
      (row) =>
        row.userId === userId &&
        row.flowId !== null &&
        (flowId === undefined || row.flowId === flowId),
    )
  return {
    get: async (id) => copyOrNull(messages.get(id)),
    async list(query) {
      const rows = ordered(messages.filter(matching(query)), query)
      return rows.slice(0, query.limit).map(copy)
    },
    sessions: async (userId, flowId) => [
      ...new Set(ofUser(userId, flowId).map((row) => row.sessionId)),
    ],
    insert: async (record) => messages.insert(copy(record)),
    async update(id, patch) {
      const row = messages.get(id)
      if (row === undefined) return null
      const changed = patched(row, patch)
      messages.replace(changed)
      return copy(changed)
    },
    async renameSession(userId, from, to) {
      return ofUser(userId)
        .filter((row) => row.sessionId === from)
        .map((row) => {
          const changed = { ...row, sessionId: to }
          messages.replace(changed)
          return copy(changed)
        })
    },
    async remove(ids, userId) {
      for (const id of ids) {
        const row = messages.get(id)
        if (row !== undefined && (userId === undefined || row.userId === userId)) {
          messages.delete(id)
        }
      }
    },
    async removeSession(userId, sessionId) {
      for (const row of ofUser(userId)) {
        if (row.sessionId === sessionId) messages.delete(row.id)
      }
    },
    async trimPublic(before) {
      for (const { id } of messages.filter((m) => m.userId === null && m.timestamp < before)) {
        messages.delete(id)
      }
    },
  }
}

function matching(query: StoredMessageQuery): (row: StoredMessage) => boolean {
  const { userId, flowId, sessionId, contextId, sender, senderName, errors = true } = query
  return (row) =>
    (userId === undefined || (row.userId === userId && (userId === null || row.flowId !== null))) &&
    equal(flowId, row.flowId) &&
    equal(sessionId, row.sessionId) &&
    equal(contextId, row.contextId) &&
    equal(sender, row.sender) &&
    equal(senderName, row.senderName) &&
    (errors || !row.error)
}

function equal(wanted: string | undefined, value: string | null): boolean {
  return wanted === undefined || wanted === value
}

function ordered(
  rows: StoredMessage[],
  { orderBy, descending = false }: StoredMessageQuery,
): StoredMessage[] {
  const sorted =
    orderBy === undefined ? rows : rows.toSorted((a, b) => compareValues(a[orderBy], b[orderBy]))
  return descending ? sorted.toReversed() : sorted
}
