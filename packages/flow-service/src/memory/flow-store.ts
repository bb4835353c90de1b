import type { FlowStore } from '../store/flow-store.ts'
import type { OnUserWrite } from '../store/users.ts'
import { createTransactions, createVertexBuilds } from './build-records.ts'
import { createBudgets } from './budgets.ts'
import { createCollections } from './collections.ts'
import { createComponents, createLikes, createTags } from './shared-components.ts'
import { createCounts } from './counts.ts'
import { createFlows } from './flows.ts'
import { createFlowVersions } from './flow-versions.ts'
import { createMessages } from './messages.ts'
import {
  createApiKeys,
  createMcpServers,
  createProjects,
  createUserFiles,
  createVariables,
} from './owned.ts'
import { createRunTraces } from './run-traces.ts'
import { createOidcLinks, createRefreshFamilies } from './sign-in.ts'
import { createSealedValues } from './sealed-values.ts'
import { createTables, type MemoryTables } from './tables.ts'
import { createUsers } from './users.ts'

/** Options of an in-memory store. */
export interface MemoryFlowStoreOptions {
  /** Called inside the transaction of every user write, with the store bound to that transaction. */
  readonly onUserWrite?: OnUserWrite<FlowStore>
}

/**
 * Creates an in-memory FlowStore for tests, demos and as the reference implementation of the interface.
 * Transactions are serialised; other calls wait for the running transaction.
 */
export function createMemoryFlowStore({ onUserWrite }: MemoryFlowStoreOptions = {}): FlowStore {
  const tables = createTables()
  const line = createLine()

  const bound: FlowStore = {
    ...createNouns(tables, (change) => onUserWrite?.(change, bound)),
    transaction: (work) => work(bound),
    ping: async () => undefined,
  }
  const transaction: FlowStore['transaction'] = (work) =>
    line.enter(() => inTransaction(tables, () => work(bound)))

  return { ...guarded(bound, line), users: usersOf(bound, transaction), transaction }
}

/** Runs work one piece at a time. */
interface Line {
  /** Waits for all work that entered earlier. */
  enter<T>(work: () => Promise<T>): Promise<T>
  /** Runs immediately if the queue is empty; otherwise behaves like `enter`. */
  pass<T>(work: () => Promise<T>): Promise<T>
}

function createLine(): Line {
  let tail: Promise<unknown> = Promise.resolve()
  let inside = 0
  const enter = async <T>(work: () => Promise<T>): Promise<T> => {
    inside += 1
    const result = tail.then(work).finally(() => {
      inside -= 1
    })
    tail = result.catch(() => undefined)
    return await result
  }
  return { enter, pass: (work) => (inside === 0 ? work() : enter(work)) }
}

type Nouns = Omit<FlowStore, 'transaction' | 'ping'>

function createNouns(tables: MemoryTables, written: Parameters<typeof createUsers>[1]): Nouns {
  return {
    users: createUsers(tables, written),
    apiKeys: createApiKeys(tables),
    variables: createVariables(tables),
    projects: createProjects(tables),
    flows: createFlows(tables),
    versions: createFlowVersions(tables),
    userFiles: createUserFiles(tables),
    messages: createMessages(tables),
    vertexBuilds: createVertexBuilds(tables),
    transactions: createTransactions(tables),
    runTraces: createRunTraces(tables),
    components: createComponents(tables),
    tags: createTags(tables),
    likes: createLikes(tables),
    mcpServers: createMcpServers(tables),
    refreshFamilies: createRefreshFamilies(tables),
    oidcLinks: createOidcLinks(tables),
    collections: createCollections(tables),
    counts: createCounts(tables),
    sealed: createSealedValues(tables),
    budgets: createBudgets(),
  }
}

/** User writes outside a transaction get their own, so that a throwing hook rolls them back. */
function usersOf(bound: FlowStore, transaction: FlowStore['transaction']): FlowStore['users'] {
  return {
    get: (id) => bound.users.get(id),
    findByUsername: (username) => bound.users.findByUsername(username),
    findSuperuser: () => bound.users.findSuperuser(),
    list: (slice) => bound.users.list(slice),
    countActiveSuperusers: () => bound.users.countActiveSuperusers(),
    insert: (record) => transaction((store) => store.users.insert(record)),
    update: (id, patch) => transaction((store) => store.users.update(id, patch)),
    remove: (id) => transaction((store) => store.users.remove(id)),
  }
}

async function inTransaction<T>(tables: MemoryTables, work: () => Promise<T>): Promise<T> {
  const all = Object.values(tables)
  for (const table of all) table.begin()
  try {
    const result = await work()
    for (const table of all) table.commit()
    return result
  } catch (error) {
    for (const table of all) table.rollback()
    throw error
  }
}

/** Wraps every method of a store so that it runs through the line. */
function guarded<Store extends object>(store: Store, line: Line): Store {
  const wrap = (value: unknown): unknown =>
    typeof value === 'function'
      ? (...args: unknown[]): Promise<unknown> =>
          line.pass(() => (value as (...given: unknown[]) => Promise<unknown>)(...args))
      : Object.fromEntries(
          Object.entries(value as object).map(([name, member]) => [name, wrap(member)]),
        )
  return wrap(store) as Store
}
