import type {
  ApiKeyRecord,
  AuditRecord,
  CollectionRecord,
  CollectionSize,
  FlowRecord,
  FlowVersionRecord,
  McpServerRecord,
  OidcLinkRecord,
  ProjectRecord,
  RefreshFamilyRecord,
  SharedComponentRecord,
  StoredMessage,
  TagRecord,
  RunTraceRecord,
  TransactionRecord,
  UserFileRecord,
  UserRecord,
  VariableRecord,
  VertexBuildRecord,
} from '@x/flow-service/store'
import type { StoredJob, StoredSchedule } from '@x/flow-engine/store'
import type { Generated } from 'kysely'

/** A collection as one record. */
export type SizedCollection = CollectionRecord & CollectionSize

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

/** Times are milliseconds, booleans 0 and 1, lists and objects JSON. */
type Column<Value> = Value extends null
  ? null
  : Value extends Date | number | boolean
    ? number
    : string

/** The columns of a record: one for each field, in snake case. */
export type RowOf<Value> = {
  [Key in keyof Value & string as SnakeCase<Key>]: Column<Value[Key]>
}

/** `seq` orders rows by insertion. */
type Sequenced<Row> = Row & { seq: Generated<number> }

export type UserRow = Sequenced<RowOf<UserRecord> & { username_key: string; username_fold: string }>
export type ComponentRow = Sequenced<
  RowOf<SharedComponentRecord> & {
    name_key: string
    description_key: string | null
    last_tested_version_key: string
  }
>

/** A job. `position` orders the queue; a job that is queued again goes to its end. */
export type JobRow = RowOf<StoredJob> & {
  seq: Generated<number>
  position: number
  worker: string | null
  lease_until: number | null
  result: Generated<string | null>
  max_queued: number | null
}

/** The tables of the flow store. */
export interface FlowTables {
  flow_user: UserRow
  flow_api_key: Sequenced<RowOf<ApiKeyRecord>>
  flow_variable: Sequenced<RowOf<VariableRecord>>
  flow_project: Sequenced<RowOf<ProjectRecord>>
  flow_flow: Sequenced<RowOf<FlowRecord> & { version_count: Generated<number> }>
  flow_version: Sequenced<RowOf<Omit<FlowVersionRecord, 'data'>> & { data_hash: string | null }>
  flow_version_data: { flow_id: string; hash: string; data: string }
  flow_user_file: Sequenced<RowOf<UserFileRecord>>
  flow_message: Sequenced<RowOf<StoredMessage>>
  flow_vertex_build: Sequenced<RowOf<VertexBuildRecord>>
  flow_audit: Sequenced<RowOf<AuditRecord>>
  flow_transaction: Sequenced<RowOf<TransactionRecord>>
  flow_run_trace: Sequenced<RowOf<RunTraceRecord>>
  flow_component: ComponentRow
  flow_component_tag: { component_id: string; tag_id: string }
  flow_tag: Sequenced<RowOf<TagRecord> & { name_key: string }>
  flow_like: Sequenced<{ user_id: string; component_id: string; at: number }>
  flow_mcp_server: Sequenced<RowOf<McpServerRecord>>
  flow_refresh_family: Sequenced<RowOf<RefreshFamilyRecord>>
  flow_refresh_token: {
    id: string
    family_id: string
    used_at: number | null
    successor_id: string | null
  }
  flow_oidc_link: Sequenced<RowOf<OidcLinkRecord>>
  flow_collection: Sequenced<RowOf<SizedCollection>>
  flow_vector: {
    seq: Generated<number>
    collection_id: string
    vector: Uint8Array
    id: string
    text: string
    metadata: string
  }
  flow_schedule: Sequenced<RowOf<StoredSchedule>>
  flow_job: JobRow
  flow_job_turn: {
    lane: string
    user_key: string
    waiting: number
    suspects: number
    running: number
    max_running: number | null
    head: number | null
  }
  flow_process: { name: string; seen_at: number; record: string }
  flow_budget: { key: string; used: number; most: number; ends_at: number }
  flow_budget_hold: { id: string; key: string; amount: number; at: number }
  flow_job_lane: { lane: string; waiting: number }
  flow_job_event: { job_id: string; seq: number; event: string; data: string }
  flow_job_fence: { job_id: string; fence: number }
  flow_job_checkpoint: Sequenced<{ job_id: string; vertex_id: string; state: string }>
}
