import type { FlowStore, OnUserWrite } from '@x/flow-service/store'
import { StoreUnavailableError } from '@x/flow-engine/store'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { protect } from '../engine/protect.ts'
import { asSchemaError, schemaFault } from '../engine/schema-error.ts'
import { atomic } from '../engine/transaction.ts'
import { createTransactions, createVertexBuilds } from './build-records.ts'
import { createBudgets } from './budgets.ts'
import { createCollections } from './collections.ts'
import { createComponents } from './shared-components.ts'
import type { FlowDb } from './context.ts'
import { createCounts } from './counts.ts'
import { toFlowError } from './errors.ts'
import { createFlows } from './flows.ts'
import { createMessages } from './messages.ts'
import { createApiKeys, createMcpServers, createVariables } from './owned.ts'
import { createProjects } from './projects.ts'
import { createRunTraces } from './run-traces.ts'
import { createOidcLinks, createRefreshFamilies } from './sign-in.ts'
import { flowMigrationStatus } from './schema.ts'
import { createSealedValues } from './sealed-values.ts'
import { createLikes, createTags } from './tags.ts'
import { createUserFiles } from './user-files.ts'
import { createUsers, type UserHooks } from './users.ts'
import { createFlowVersions } from './versions.ts'

/** The handle of a running transaction; pass it to `createScimStore` to join it. */
export type FlowTransaction = FlowDb

/** Options of a flow store. */
export interface FlowStoreOptions {
  /** Called inside the transaction of every user write; throwing rolls it back. */
  readonly onUserWrite?: OnUserWrite<FlowTransaction>
}

/**
 * Creates a flow store on a database prepared by `migrateFlow`, or on a running transaction, which its
 * writes then join. Methods reject with `UniqueConflictError` or `StoreUnavailableError` of
 * `@x/flow-engine`, or with the error thrown by `onUserWrite`.
 * @throws TypeError if the database was not opened by `openSqlite` or `openPostgres`
 */
export function createFlowStore<Tables>(
  db: Kysely<Tables>,
  options: FlowStoreOptions = {},
): FlowStore {
  return createLinkedFlowStore(db, options)
}

/** The same with the hooks of this package. */
export function createLinkedFlowStore<Tables>(db: Kysely<Tables>, hooks: UserHooks): FlowStore {
  engineOf(db)
  return bind(flowTables(db), hooks)
}

/**
 * Enumerable parts for a whole store, so that hosts can spread it; a transaction usually needs only one or
 * two of them.
 */
function bind(db: FlowDb, options: UserHooks): FlowStore {
  const store = new BoundFlowStore(db, options)
  if (db.isTransaction) return store
  const parts: FlowStore = {
    users: store.users,
    apiKeys: store.apiKeys,
    variables: store.variables,
    projects: store.projects,
    flows: store.flows,
    versions: store.versions,
    userFiles: store.userFiles,
    messages: store.messages,
    vertexBuilds: store.vertexBuilds,
    transactions: store.transactions,
    runTraces: store.runTraces,
    components: store.components,
    tags: store.tags,
    likes: store.likes,
    mcpServers: store.mcpServers,
    refreshFamilies: store.refreshFamilies,
    oidcLinks: store.oidcLinks,
    collections: store.collections,
    counts: store.counts,
    sealed: store.sealed,
    budgets: store.budgets,
    transaction: store.transaction,
    ping: store.ping,
  }
  // Tells the flow service that its jobs could be kept as well.
  return Object.assign(parts, { [Symbol.for('@x/sql-flow-store')]: true })
}

/** Factories of the parts. */
const PARTS = {
  users: createUsers,
  apiKeys: createApiKeys,
  variables: createVariables,
  projects: createProjects,
  flows: createFlows,
  versions: createFlowVersions,
  userFiles: createUserFiles,
  messages: createMessages,
  vertexBuilds: createVertexBuilds,
  transactions: createTransactions,
  runTraces: createRunTraces,
  components: createComponents,
  tags: createTags,
  likes: createLikes,
  mcpServers: createMcpServers,
  refreshFamilies: createRefreshFamilies,
  oidcLinks: createOidcLinks,
  collections: createCollections,
  counts: createCounts,
  sealed: createSealedValues,
  budgets: createBudgets,
} as const satisfies {
  readonly [Part in Exclude<keyof Required<FlowStore>, 'transaction' | 'ping'>]: (
    db: FlowDb,
    options: UserHooks,
  ) => Required<FlowStore>[Part]
}

type Parts = { -readonly [Part in keyof typeof PARTS]?: FlowStore[Part] }

/** Creates its parts on first use. */
class BoundFlowStore implements FlowStore {
  readonly transaction: FlowStore['transaction']
  readonly ping: FlowStore['ping']
  readonly #db: FlowDb
  readonly #options: UserHooks
  readonly #made: Parts = {}
  #migrated: Promise<void> | undefined

  constructor(db: FlowDb, options: UserHooks) {
    this.#db = db
    this.#options = options
    const whole = safe({
      transaction: <T>(work: (store: FlowStore) => Promise<T>): Promise<T> =>
        atomic(db, (tx) => work(bind(tx, options))),
      ping: async (): Promise<void> => {
        await sql`select 1`.execute(db)
        await (this.#migrated ??= checkMigrated(db).catch((error: unknown) => {
          this.#migrated = undefined
          throw error
        }))
      },
    })
    this.transaction = whole.transaction
    this.ping = whole.ping
  }

  get users(): FlowStore['users'] {
    return (this.#made.users ??= safe(PARTS.users(this.#db, this.#options)))
  }

  get apiKeys(): FlowStore['apiKeys'] {
    return (this.#made.apiKeys ??= safe(PARTS.apiKeys(this.#db)))
  }

  get variables(): FlowStore['variables'] {
    return (this.#made.variables ??= safe(PARTS.variables(this.#db)))
  }

  get projects(): FlowStore['projects'] {
    return (this.#made.projects ??= safe(PARTS.projects(this.#db)))
  }

  get flows(): FlowStore['flows'] {
    return (this.#made.flows ??= safe(PARTS.flows(this.#db)))
  }

  get versions(): FlowStore['versions'] {
    return (this.#made.versions ??= safe(PARTS.versions(this.#db)))
  }

  get userFiles(): FlowStore['userFiles'] {
    return (this.#made.userFiles ??= safe(PARTS.userFiles(this.#db)))
  }

  get messages(): FlowStore['messages'] {
    return (this.#made.messages ??= safe(PARTS.messages(this.#db)))
  }

  get vertexBuilds(): FlowStore['vertexBuilds'] {
    return (this.#made.vertexBuilds ??= safe(PARTS.vertexBuilds(this.#db)))
  }

  get transactions(): FlowStore['transactions'] {
    return (this.#made.transactions ??= safe(PARTS.transactions(this.#db)))
  }

  get runTraces(): FlowStore['runTraces'] {
    return (this.#made.runTraces ??= safe(PARTS.runTraces(this.#db)))
  }

  get components(): FlowStore['components'] {
    return (this.#made.components ??= safe(PARTS.components(this.#db)))
  }

  get tags(): FlowStore['tags'] {
    return (this.#made.tags ??= safe(PARTS.tags(this.#db)))
  }

  get likes(): FlowStore['likes'] {
    return (this.#made.likes ??= safe(PARTS.likes(this.#db)))
  }

  get mcpServers(): FlowStore['mcpServers'] {
    return (this.#made.mcpServers ??= safe(PARTS.mcpServers(this.#db)))
  }

  get refreshFamilies(): FlowStore['refreshFamilies'] {
    return (this.#made.refreshFamilies ??= safe(PARTS.refreshFamilies(this.#db)))
  }

  get oidcLinks(): FlowStore['oidcLinks'] {
    return (this.#made.oidcLinks ??= safe(PARTS.oidcLinks(this.#db)))
  }

  get collections(): FlowStore['collections'] {
    return (this.#made.collections ??= safe(PARTS.collections(this.#db)))
  }

  get sealed(): NonNullable<FlowStore['sealed']> {
    return (this.#made.sealed ??= safe(PARTS.sealed(this.#db)))
  }

  get counts(): FlowStore['counts'] {
    return (this.#made.counts ??= safe(PARTS.counts(this.#db)))
  }

  get budgets(): FlowStore['budgets'] {
    return (this.#made.budgets ??= safe(PARTS.budgets(this.#db)))
  }
}

/** @throws StoreUnavailableError with the code of a SchemaError */
async function checkMigrated(db: FlowDb): Promise<void> {
  const states = await flowMigrationStatus(db)
  if (states.every(({ applied }) => applied)) return
  const isNew = states.every(({ applied }) => !applied)
  const fault = isNew
    ? schemaFault('schema_missing', 'flow_user', 'migrateFlow')
    : schemaFault('schema_outdated', undefined, 'migrateFlow')
  throw asSchemaError(new StoreUnavailableError({ message: fault.message }), fault)
}

function safe<Store extends object>(store: Store): Store {
  return protect(store, toFlowError)
}

/** The tables are guaranteed by the migrations, not by the database's type. */
export function flowTables<Tables>(db: Kysely<Tables>): FlowDb {
  return db as unknown as FlowDb
}
