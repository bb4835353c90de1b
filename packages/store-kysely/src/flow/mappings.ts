import type {
  ApiKeyRecord,
  AuditRecord,
  FlowRecord,
  FlowVersionRecord,
  McpServerRecord,
  OidcLinkRecord,
  ProjectRecord,
  RefreshFamilyRecord,
  RunTraceRecord,
  RunTraceSummary,
  SharedComponentRecord,
  StoredMessage,
  TagRecord,
  TransactionRecord,
  UserFileRecord,
  UserRecord,
  VariableRecord,
  VertexBuildRecord,
} from '@x/flow-service/store'
import { bool, date, json, mapping, nullable, number, plain, text } from '../records/columns.ts'
import type { RowOf, SizedCollection } from '../schema/tables/flow.ts'

const id = plain()
const created = { createdAt: date }
const timestamps = { createdAt: date, updatedAt: date }

export const userMapping = mapping<UserRecord, RowOf<UserRecord>>({
  id,
  username: text,
  passwordHash: nullable(text),
  profileImage: nullable(text),
  storeApiKey: nullable(text),
  isActive: bool,
  isSuperuser: bool,
  tokenEpoch: number,
  optins: nullable(json<Readonly<Record<string, unknown>>>()),
  ...timestamps,
  lastLoginAt: nullable(date),
})

export const apiKeyMapping = mapping<ApiKeyRecord, RowOf<ApiKeyRecord>>({
  id,
  userId: id,
  name: nullable(text),
  hash: text,
  prefix: text,
  isActive: bool,
  agentId: nullable(text),
  totalUses: number,
  lastUsedAt: nullable(date),
  ...created,
})

export const variableMapping = mapping<VariableRecord, RowOf<VariableRecord>>({
  id,
  userId: id,
  name: text,
  type: text,
  value: text,
  defaultFields: nullable(json<readonly string[]>()),
  ...timestamps,
})

export const projectMapping = mapping<ProjectRecord, RowOf<ProjectRecord>>({
  id,
  userId: id,
  name: text,
  description: nullable(text),
  parentId: nullable(id),
  authSettings: nullable(json<Readonly<Record<string, unknown>>>()),
  ...created,
})

export const flowMapping = mapping<FlowRecord, RowOf<FlowRecord>>({
  id,
  userId: id,
  folderId: nullable(id),
  name: text,
  description: nullable(text),
  icon: nullable(text),
  iconBgColor: nullable(text),
  gradient: nullable(text),
  data: nullable(text),
  isComponent: bool,
  webhook: bool,
  endpointName: nullable(text),
  webhookName: nullable(text),
  tags: nullable(json<readonly string[]>()),
  locked: bool,
  mcpEnabled: bool,
  actionName: nullable(text),
  actionDescription: nullable(text),
  accessType: plain<FlowRecord['accessType']>(),
  fsPath: nullable(text),
  ...timestamps,
})

export const flowVersionMapping = mapping<FlowVersionRecord, RowOf<FlowVersionRecord>>({
  id,
  flowId: id,
  userId: id,
  number,
  description: nullable(text),
  data: nullable(text),
  ...created,
})

export const userFileMapping = mapping<UserFileRecord, RowOf<UserFileRecord>>({
  id,
  userId: id,
  name: text,
  path: text,
  size: number,
  provider: nullable(text),
  ...timestamps,
})

export const messageMapping = mapping<StoredMessage, RowOf<StoredMessage>>({
  id,
  userId: nullable(id),
  flowId: nullable(id),
  timestamp: date,
  sender: nullable(text),
  senderName: nullable(text),
  sessionId: text,
  contextId: nullable(text),
  text,
  files: json<readonly string[]>(),
  error: bool,
  edit: bool,
  category: text,
  properties: json<object>(),
  contentBlocks: json<readonly object[]>(),
  duration: nullable(number),
})

export const vertexBuildMapping = mapping<VertexBuildRecord, RowOf<VertexBuildRecord>>({
  buildId: id,
  vertexId: text,
  flowId: id,
  ownerId: nullable(id),
  timestamp: date,
  valid: bool,
  params: nullable(text),
  data: text,
  artifacts: text,
})

export const transactionMapping = mapping<TransactionRecord, RowOf<TransactionRecord>>({
  id,
  flowId: id,
  ownerId: nullable(id),
  timestamp: date,
  vertexId: text,
  targetId: nullable(text),
  inputs: nullable(text),
  outputs: nullable(text),
  status: plain<TransactionRecord['status']>(),
  error: nullable(text),
})

const runTraceColumns = {
  id,
  flowId: id,
  ownerId: id,
  sessionId: text,
  state: plain<RunTraceRecord['state']>(),
  startedAt: date,
  finishedAt: date,
  inputTokens: number,
  outputTokens: number,
  error: nullable(text),
}

export const runTraceSummaryMapping = mapping<RunTraceSummary, RowOf<RunTraceSummary>>(
  runTraceColumns,
)

export const runTraceMapping = mapping<RunTraceRecord, RowOf<RunTraceRecord>>({
  ...runTraceColumns,
  details: text,
})

export const auditMapping = mapping<AuditRecord, RowOf<AuditRecord>>({
  id,
  at: date,
  action: plain<AuditRecord['action']>(),
  outcome: plain<AuditRecord['outcome']>(),
  actorId: nullable(text),
  via: nullable(text),
  targetType: nullable(text),
  targetId: nullable(text),
  requestId: nullable(text),
  clientAddress: nullable(text),
  details: json<AuditRecord['details']>(),
})

export const componentMapping = mapping<SharedComponentRecord, RowOf<SharedComponentRecord>>({
  id,
  ownerId: id,
  name: text,
  description: nullable(text),
  data: text,
  metadata: json<Readonly<Record<string, unknown>>>(),
  isComponent: nullable(bool),
  parent: nullable(text),
  isPrivate: bool,
  lastTestedVersion: text,
  downloads: number,
  ...timestamps,
})

export const tagMapping = mapping<TagRecord, RowOf<TagRecord>>({ id, name: text })

export const mcpServerMapping = mapping<McpServerRecord, RowOf<McpServerRecord>>({
  userId: id,
  name: text,
  config: text,
  ...timestamps,
})

export const refreshFamilyMapping = mapping<RefreshFamilyRecord, RowOf<RefreshFamilyRecord>>({
  id,
  userId: id,
  createdAt: date,
  expiresAt: date,
})

export const collectionMapping = mapping<SizedCollection, RowOf<SizedCollection>>({
  id,
  userId: id,
  kind: plain<SizedCollection['kind']>(),
  name: text,
  provider: nullable(text),
  model: nullable(text),
  apiKey: nullable(text),
  ...created,
  rows: number,
  words: number,
  characters: number,
  bytes: number,
  dimension: number,
})

export const oidcLinkMapping = mapping<OidcLinkRecord, RowOf<OidcLinkRecord>>({
  issuer: text,
  subject: text,
  userId: id,
  ...created,
})
