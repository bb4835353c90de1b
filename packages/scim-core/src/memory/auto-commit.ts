import type { ScimStore } from '../store/scim-store.ts'

/** The store outside transactions: every call runs in its own transaction. */
export function autoCommitStore(transaction: ScimStore['transaction']): ScimStore {
  return {
    users: {
      get: (...args) => transaction(args[0], ({ users }) => users.get(...args)),
      insert: (...args) => transaction(args[0], ({ users }) => users.insert(...args)),
      update: (...args) => transaction(args[0], ({ users }) => users.update(...args)),
      remove: (...args) => transaction(args[0], ({ users }) => users.remove(...args)),
      briefs: (...args) => transaction(args[0], ({ users }) => users.briefs(...args)),
      list: (...args) => transaction(args[0], ({ users }) => users.list(...args)),
      wasDeleted: (...args) =>
        transaction(args[0], async ({ users }) => users.wasDeleted?.(...args) ?? false),
    },
    groups: {
      get: (...args) => transaction(args[0], ({ groups }) => groups.get(...args)),
      insert: (...args) => transaction(args[0], ({ groups }) => groups.insert(...args)),
      update: (...args) => transaction(args[0], ({ groups }) => groups.update(...args)),
      remove: (...args) => transaction(args[0], ({ groups }) => groups.remove(...args)),
      briefs: (...args) => transaction(args[0], ({ groups }) => groups.briefs(...args)),
      list: (...args) => transaction(args[0], ({ groups }) => groups.list(...args)),
    },
    members: {
      add: (...args) => transaction(args[0], ({ members }) => members.add(...args)),
      remove: (...args) => transaction(args[0], ({ members }) => members.remove(...args)),
      clear: (...args) => transaction(args[0], ({ members }) => members.clear(...args)),
      removeUser: (...args) => transaction(args[0], ({ members }) => members.removeUser(...args)),
      count: (...args) => transaction(args[0], ({ members }) => members.count(...args)),
      countAll: (...args) =>
        transaction(args[0], async ({ members }) => members.countAll?.(...args) ?? 0),
      has: (...args) => transaction(args[0], ({ members }) => members.has(...args)),
      ofGroups: (...args) =>
        transaction(args[0], async ({ members }) => members.ofGroups?.(...args) ?? null),
      groupsOf: (...args) => transaction(args[0], ({ members }) => members.groupsOf(...args)),
      async *list(...args) {
        yield* await transaction(args[0], ({ members }) => collect(members.list(...args)))
      },
    },
    transaction,
  }
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}
