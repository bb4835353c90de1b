import { append } from '@x/wire'
import { compareValues } from '@x/wire'
import { sortCooperatively } from '@x/wire'
import { refuse } from '../../refusal.ts'
import type {
  MessageOrder,
  MessagePartsQuery,
  MessageStore,
  StoredMessage,
} from '../../store/messages.ts'

/** Maximum messages, and characters of their texts, that are sorted in memory. */
const MOST_MESSAGES = 10_000
const MOST_CHARACTERS = 8_000_000

type OrderedQuery = Omit<MessagePartsQuery, 'orderBy'> & { readonly orderBy?: MessageOrder }

/**
 * The messages of a user in parts, in any order.
 * @throws Refusal 400 if there are too many for an order in which the store does not read parts
 */
export async function* orderedMessages(
  store: MessageStore,
  { orderBy, ...query }: OrderedQuery,
): AsyncGenerator<readonly StoredMessage[]> {
  if (store.parts === undefined) {
    yield await store.list({ ...query, ...(orderBy === undefined ? {} : { orderBy }) })
    return
  }
  if (orderBy === undefined || orderBy === 'timestamp') {
    yield* store.parts({ ...query, ...(orderBy === undefined ? {} : { orderBy }) })
    return
  }
  const held: StoredMessage[] = []
  let characters = 0
  for await (const part of store.parts(query)) {
    append(held, part)
    for (const { text } of part) characters += text.length
    if (held.length > MOST_MESSAGES || characters > MOST_CHARACTERS) throw tooMany()
  }
  yield await sortCooperatively(held, (a, b) => compareValues(a[orderBy], b[orderBy]))
}

function tooMany() {
  const most = `${MOST_MESSAGES.toLocaleString('en')} messages and ${MOST_CHARACTERS.toLocaleString('en')} characters`
  return refuse(400, `order_by takes at most ${most} unless it is timestamp: filter the messages`)
}
