import { oddText } from '@x/wire'
import type { ApiKeyRecord } from '../store/api-keys.ts'
import type { TransactionRecord, VertexBuildRecord } from '../store/build-records.ts'
import type { SharedComponentRecord } from '../store/shared-components.ts'
import type { FlowRecord } from '../store/flows.ts'
import type { StoredMessage } from '../store/messages.ts'
import type { ProjectRecord } from '../store/projects.ts'
import type { UserFileRecord } from '../store/user-files.ts'
import type { UserRecord } from '../store/users.ts'
import type { VariableRecord } from '../store/variables.ts'

/** A UUID from a small number; `kind` keeps the ids of different resources apart. */
export function idOf(kind: number, n: number): string {
  return `${kind.toString(16).padStart(8, '0')}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
}

/** A time from a small number, with milliseconds. */
export function timeOf(n: number): Date {
  return new Date(Date.UTC(2030, 0, 1, 0, 0, n, 123))
}

/** JSON that stores tend to mangle. */
export const oddJson = {
  'b b': [],
  a: { nested: null, list: [{}, [], '', 0, -1.5, true, false, null] },
  'ключ "\\': oddText,
}

export const user = (n: number, fields: Partial<UserRecord> = {}): UserRecord => ({
  id: idOf(1, n),
  username: `user-${n}`,
  passwordHash: null,
  profileImage: null,
  storeApiKey: null,
  isActive: true,
  isSuperuser: false,
  tokenEpoch: n,
  optins: null,
  createdAt: timeOf(n),
  updatedAt: timeOf(n),
  lastLoginAt: null,
  ...fields,
})

export const apiKey = (n: number, fields: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  id: idOf(2, n),
  userId: idOf(1, 1),
  name: null,
  hash: n.toString(16).padStart(64, '0'),
  prefix: 'sk-abcde',
  isActive: true,
  agentId: null,
  totalUses: 0,
  lastUsedAt: null,
  createdAt: timeOf(n),
  ...fields,
})

export const variable = (n: number, fields: Partial<VariableRecord> = {}): VariableRecord => ({
  id: idOf(3, n),
  userId: idOf(1, 1),
  name: `variable-${n}`,
  type: 'Generic',
  value: 'v1.sealed',
  defaultFields: [],
  createdAt: timeOf(n),
  updatedAt: timeOf(n),
  ...fields,
})

export const project = (n: number, fields: Partial<ProjectRecord> = {}): ProjectRecord => ({
  id: idOf(4, n),
  userId: idOf(1, 1),
  name: `project-${n}`,
  description: null,
  parentId: null,
  authSettings: null,
  createdAt: timeOf(n),
  ...fields,
})

export const flow = (n: number, fields: Partial<FlowRecord> = {}): FlowRecord => ({
  id: idOf(5, n),
  userId: idOf(1, 1),
  folderId: null,
  name: `flow-${n}`,
  description: null,
  icon: null,
  iconBgColor: null,
  gradient: null,
  data: '{"nodes":[],"edges":[]}',
  isComponent: false,
  webhook: false,
  webhookName: null,
  endpointName: null,
  tags: null,
  locked: false,
  mcpEnabled: false,
  actionName: null,
  actionDescription: null,
  accessType: 'PRIVATE',
  fsPath: null,
  createdAt: timeOf(n),
  updatedAt: timeOf(n),
  ...fields,
})

export const userFile = (n: number, fields: Partial<UserFileRecord> = {}): UserFileRecord => ({
  id: idOf(6, n),
  userId: idOf(1, 1),
  name: `file-${n}`,
  path: `${idOf(1, 1)}/file-${n}.txt`,
  size: n,
  provider: null,
  createdAt: timeOf(n),
  updatedAt: timeOf(n),
  ...fields,
})

export const message = (n: number, fields: Partial<StoredMessage> = {}): StoredMessage => ({
  id: idOf(7, n),
  userId: idOf(1, 1),
  flowId: idOf(5, 1),
  timestamp: timeOf(n),
  sender: 'User',
  senderName: 'User',
  sessionId: 'session',
  contextId: '',
  text: `text ${n}`,
  files: [],
  error: false,
  edit: false,
  category: 'message',
  properties: {},
  contentBlocks: [],
  duration: null,
  ...fields,
})

export const vertexBuild = (
  n: number,
  fields: Partial<VertexBuildRecord> = {},
): VertexBuildRecord => ({
  buildId: idOf(8, n),
  vertexId: 'ChatInput-a1',
  flowId: idOf(5, 1),
  ownerId: idOf(1, 1),
  timestamp: timeOf(n),
  valid: true,
  params: null,
  data: '{}',
  artifacts: '{}',
  ...fields,
})

export const transactionOf = (
  n: number,
  fields: Partial<TransactionRecord> = {},
): TransactionRecord => ({
  id: idOf(9, n),
  flowId: idOf(5, 1),
  ownerId: idOf(1, 1),
  timestamp: timeOf(n),
  vertexId: 'ChatInput-a1',
  targetId: null,
  inputs: null,
  outputs: null,
  status: 'success',
  error: null,
  ...fields,
})

export const component = (
  n: number,
  fields: Partial<SharedComponentRecord> = {},
): SharedComponentRecord => ({
  id: idOf(10, n),
  ownerId: idOf(1, 1),
  name: `component-${n}`,
  description: null,
  data: '{}',
  metadata: { total: 0 },
  isComponent: false,
  parent: null,
  isPrivate: false,
  lastTestedVersion: '1.7.1',
  downloads: 0,
  createdAt: timeOf(n),
  updatedAt: timeOf(n),
  ...fields,
})
