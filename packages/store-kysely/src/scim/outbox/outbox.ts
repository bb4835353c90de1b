import type { OutboxStore } from '@x/scim-core'
import type { Kysely } from 'kysely'
import { protect } from '../../engine/protect.ts'
import type { ScimTables } from '../../schema/tables/scim.ts'
import { toScimError } from '../errors.ts'
import { createDeliveryStore } from './deliveries.ts'
import { createEndpointStore } from './endpoints.ts'
import { createEventStore } from './events.ts'

/** The outbox in SQL; within a transaction, that of the transaction. */
export function createOutbox(db: Kysely<ScimTables>): OutboxStore {
  return {
    ...protect(createEventStore(db), toScimError),
    endpoints: protect(createEndpointStore(db), toScimError),
    deliveries: protect(createDeliveryStore(db), toScimError),
  }
}
