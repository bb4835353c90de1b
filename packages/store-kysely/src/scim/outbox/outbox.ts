import type { OutboxStore } from '@x/scim-core'
import type { Kysely } from 'kysely'
import { protect } from '../../engine/protect.ts'
import type { ScimTables } from '../../schema/tables/scim.ts'
import { toScimError } from '../errors.ts'
import { createDeliveryStore } from './deliveries.ts'
import { createEndpointStore } from './endpoints.ts'
import { createEventStore } from './events.ts'

type EventStore = ReturnType<typeof createEventStore>

/** The outbox in SQL; within a transaction, that of the transaction. */
export function createOutbox(db: Kysely<ScimTables>): OutboxStore {
  return new SqlOutbox(db)
}

/** Creates its parts on first use: the transaction of a request only appends. */
class SqlOutbox implements OutboxStore {
  readonly append: EventStore['append']
  readonly read: EventStore['read']
  readonly set: EventStore['set']
  readonly prune: EventStore['prune']
  readonly #db: Kysely<ScimTables>
  #endpoints: OutboxStore['endpoints'] | undefined = undefined
  #deliveries: OutboxStore['deliveries'] | undefined = undefined

  constructor(db: Kysely<ScimTables>) {
    const { append, read, set, prune } = protect(createEventStore(db), toScimError)
    this.append = append
    this.read = read
    this.set = set
    this.prune = prune
    this.#db = db
  }

  get endpoints(): OutboxStore['endpoints'] {
    return (this.#endpoints ??= protect(createEndpointStore(this.#db), toScimError))
  }

  get deliveries(): OutboxStore['deliveries'] {
    return (this.#deliveries ??= protect(createDeliveryStore(this.#db), toScimError))
  }
}
