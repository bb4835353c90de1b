import type { FlowStore, OnUserWrite } from '@x/flow-engine'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { protect } from '../engine/protect.ts'
import { atomic } from '../engine/transaction.ts'
import { createTransactions, createVertexBuilds } from './build-records.ts'
import { createCollections } from './collections.ts'
import { createComponents } from './components.ts'
import type { FlowDb } from './context.ts'
import { toFlowError } from './errors.ts'
import { createFlows } from './flows.ts'
import { createMessages } from './messages.ts'
import { createApiKeys, createMcpServers, createVariables } from './owned.ts'
import { createProjects } from './projects.ts'
import { createOidcLinks, createRefreshFamilies } from './sign-in.ts'
import { createLikes, createTags } from './tags.ts'
import { createUserFiles } from './user-files.ts'
import { createUsers } from './users.ts'

/** The handle of a running transaction; `createScimStore(transaction)` joins it. */
export type FlowTransaction = FlowDb

/** How a flow store works together with a host's own records. */
export interface FlowStoreOptions {
  /** Called inside the transaction of every user write; what it throws undoes the write (SU-2). */
  readonly onUserWrite?: OnUserWrite<FlowTransaction>
}

/**
 * The flow store over a database that `migrateFlow` has prepared, or over a running transaction of
 * one, which its writes then join. Every method rejects with `UniqueConflictError` or
 * `StoreUnavailableError` of `@x/flow-engine`, and what `onUserWrite` throws.
 *
 * @throws TypeError when the database was not opened by `openSqlite` or `openPostgres`
 */
export function createFlowStore<Tables>(
  db: Kysely<Tables>,
  options: FlowStoreOptions = {},
): FlowStore {
  engineOf(db)
  return bind(flowTables(db), options)
}

function bind(db: FlowDb, options: FlowStoreOptions): FlowStore {
  return {
    users: safe(createUsers(db, options.onUserWrite)),
    apiKeys: safe(createApiKeys(db)),
    variables: safe(createVariables(db)),
    projects: safe(createProjects(db)),
    flows: safe(createFlows(db)),
    userFiles: safe(createUserFiles(db)),
    messages: safe(createMessages(db)),
    vertexBuilds: safe(createVertexBuilds(db)),
    transactions: safe(createTransactions(db)),
    components: safe(createComponents(db)),
    tags: safe(createTags(db)),
    likes: safe(createLikes(db)),
    mcpServers: safe(createMcpServers(db)),
    refreshFamilies: safe(createRefreshFamilies(db)),
    oidcLinks: safe(createOidcLinks(db)),
    collections: safe(createCollections(db)),
    ...safe({
      transaction: <T>(work: (store: FlowStore) => Promise<T>): Promise<T> =>
        atomic(db, (tx) => work(bind(tx, options))),
      async ping(): Promise<void> {
        await sql`select 1`.execute(db)
      },
    }),
  }
}

function safe<Store extends object>(store: Store): Store {
  return protect(store, toFlowError)
}

/** Which tables a database has is known to its migrations, not to its type. */
export function flowTables<Tables>(db: Kysely<Tables>): FlowDb {
  return db as unknown as FlowDb
}
