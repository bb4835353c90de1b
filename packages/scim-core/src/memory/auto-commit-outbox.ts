import type { OutboxStore } from '../store/outbox.ts'
import type { ResourceStore } from '../store/resources.ts'
import type { ScimStore } from '../store/scim-store.ts'

/** The outbox outside transactions: every call runs in its own transaction. */
export function autoCommitOutbox(transaction: ScimStore['transaction']): OutboxStore {
  const within = <Result>(work: (outbox: OutboxStore) => Promise<Result>): Promise<Result> =>
    transaction('', ({ outbox }) => {
      if (outbox === undefined) throw new TypeError('The transaction has no outbox')
      return work(outbox)
    })
  return {
    append: (...args) => within((outbox) => outbox.append(...args)),
    read: (...args) => within((outbox) => outbox.read(...args)),
    set: (...args) => within((outbox) => outbox.set(...args)),
    prune: (...args) => within((outbox) => outbox.prune(...args)),
    endpoints: {
      insert: (...args) => within(({ endpoints }) => endpoints.insert(...args)),
      get: (...args) => within(({ endpoints }) => endpoints.get(...args)),
      byId: (...args) => within(({ endpoints }) => endpoints.byId(...args)),
      list: (...args) => within(({ endpoints }) => endpoints.list(...args)),
      update: (...args) => within(({ endpoints }) => endpoints.update(...args)),
      remove: (...args) => within(({ endpoints }) => endpoints.remove(...args)),
    },
    deliveries: {
      collect: (...args) => within(({ deliveries }) => deliveries.collect(...args)),
      due: (...args) => within(({ deliveries }) => deliveries.due(...args)),
      claim: (...args) => within(({ deliveries }) => deliveries.claim(...args)),
      settle: (...args) => within(({ deliveries }) => deliveries.settle(...args)),
      release: (...args) => within(({ deliveries }) => deliveries.release(...args)),
      waiting: (...args) => within(({ deliveries }) => deliveries.waiting(...args)),
      list: (...args) => within(({ deliveries }) => deliveries.list(...args)),
      replay: (...args) => within(({ deliveries }) => deliveries.replay(...args)),
    },
  }
}

/** Resources of a host's own type outside transactions. */
export function autoCommitResources(
  transaction: ScimStore['transaction'],
  type: string,
): Required<Omit<ResourceStore, 'snapshot'>> {
  const within = <Result>(
    tenant: string,
    work: (store: Required<ResourceStore>) => Promise<Result>,
  ): Promise<Result> =>
    transaction(tenant, (tx) => work(tx.resources?.(type) as Required<ResourceStore>))
  return {
    get: (...args) => within(args[0], (store) => store.get(...args)),
    list: (...args) => within(args[0], (store) => store.list(...args)),
    insert: (...args) => within(args[0], (store) => store.insert(...args)),
    update: (...args) => within(args[0], (store) => store.update(...args)),
    remove: (...args) => within(args[0], (store) => store.remove(...args)),
  }
}
