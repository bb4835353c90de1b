import type {
  MessageQuery,
  MessageRecord,
  MessageService,
} from '../../components/define/services.ts'

/** An in-memory message service; messages live as long as the object. */
export function createRunMessages(initial: Iterable<MessageRecord> = []): MessageService {
  const rows = new Map<string, MessageRecord>()
  for (const row of initial) rows.set(row.id, row)
  return {
    async add(message) {
      rows.set(message.id, message)
    },
    async update(message) {
      if (rows.has(message.id)) rows.set(message.id, message)
    },
    async remove(id) {
      rows.delete(id)
    },
    async list(query) {
      return selectMessages([...rows.values()], query)
    },
  }
}

/** The rows matching a query: filtered, sorted by time, limited to the last n. */
export function selectMessages(
  rows: readonly MessageRecord[],
  query: MessageQuery,
): MessageRecord[] {
  const { order = 'ascending', last, includeErrors = false } = query
  const found = rows.filter(
    (row) => (includeErrors || !row.error) && FILTERS.every((key) => fits(row[key], query[key])),
  )
  const direction = order === 'ascending' ? 1 : -1
  const sorted = found.toSorted(
    (a, b) => direction * (a.timestamp.getTime() - b.timestamp.getTime()),
  )
  if (last === undefined) return sorted
  return last > 0 ? sorted.slice(-last) : []
}

const FILTERS = ['sessionId', 'contextId', 'flowId', 'sender', 'senderName'] as const

/** An empty filter matches everything. */
function fits(value: string | null, wanted: string | undefined): boolean {
  return wanted === undefined || wanted === '' || value === wanted
}
