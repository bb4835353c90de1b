import type { ApiKeyRecord } from '../store/api-keys.ts'
import type { TransactionRecord, VertexBuildRecord } from '../store/build-records.ts'
import type {
  CollectionRecord,
  CollectionRow,
  CollectionSize,
  Position,
} from '../store/collections.ts'
import type { SharedComponentRecord, TagRecord } from '../store/shared-components.ts'
import type { FlowRecord } from '../store/flows.ts'
import type { FlowVersionRecord } from '../store/flow-versions.ts'
import type { McpServerRecord } from '../store/mcp-servers.ts'
import type { StoredMessage } from '../store/messages.ts'
import type { ProjectRecord } from '../store/projects.ts'
import type { RunTraceRecord } from '../store/run-traces.ts'
import type { OidcLinkRecord, RefreshFamilyRecord } from '../store/sign-in.ts'
import type { UserFileRecord } from '../store/user-files.ts'
import type { UserRecord } from '../store/users.ts'
import type { VariableRecord } from '../store/variables.ts'
import { pair, triple } from '@x/wire'
import { createTable } from './table.ts'

/** A collection as stored. */
export type MemoryCollection = CollectionRecord & CollectionSize

/** A collection row as stored. */
export type MemoryVector = CollectionRow & Position & { readonly collectionId: string }

/** A flow version as stored. */
export type MemoryFlowVersion = FlowVersionRecord

/** The highest version number given out for a flow. */
export interface FlowVersionCount {
  readonly flowId: string
  readonly last: number
}

/** A shared component with the ids of its tags. */
export type TaggedComponent = SharedComponentRecord & { readonly tagIds: readonly string[] }

export interface Like {
  readonly userId: string
  readonly componentId: string
  readonly at: Date
}

/** A refresh token and its family. */
export interface RefreshToken {
  readonly id: string
  readonly familyId: string
  readonly usedAt: Date | null
  readonly successorId: string | null
}

export type MemoryTables = ReturnType<typeof createTables>

/** Creates empty tables with the unique keys of the store interfaces. */
export function createTables() {
  return {
    users: createTable<UserRecord>((row) => row.id, 'user.id', [
      ['user.username', (row) => row.username],
    ]),
    apiKeys: createTable<ApiKeyRecord>((row) => row.id, 'apiKey.id', [
      ['apiKey.hash', (row) => row.hash],
    ]),
    variables: createTable<VariableRecord>((row) => row.id, 'variable.id', [
      ['variable.name', (row) => pair(row.userId, row.name)],
    ]),
    collections: createTable<MemoryCollection>((row) => row.id, 'collection.id', [
      ['collection.name', (row) => triple(row.userId, row.kind, row.name)],
    ]),
    vectors: createTable<MemoryVector>((row) => String(row.position), 'collection.id'),
    projects: createTable<ProjectRecord>((row) => row.id, 'project.id', [
      ['project.name', (row) => pair(row.userId, row.name)],
    ]),
    flows: createTable<FlowRecord>((row) => row.id, 'flow.id', [
      ['flow.name', (row) => pair(row.userId, row.name)],
      [
        'flow.endpointName',
        (row) => (row.endpointName === null ? null : pair(row.userId, row.endpointName)),
      ],
      ['flow.webhookName', (row) => row.webhookName],
    ]),
    flowVersions: createTable<MemoryFlowVersion>((row) => row.id, 'flowVersion.id', [
      ['flowVersion.number', (row) => pair(row.flowId, String(row.number))],
    ]),
    flowVersionCounts: createTable<FlowVersionCount>((row) => row.flowId, 'flowVersion.number'),
    userFiles: createTable<UserFileRecord>((row) => row.id, 'userFile.id', [
      ['userFile.name', (row) => pair(row.userId, row.name)],
      ['userFile.path', (row) => row.path],
    ]),
    messages: createTable<StoredMessage>((row) => row.id, 'message.id'),
    vertexBuilds: createTable<VertexBuildRecord>((row) => row.buildId, 'flow.id'),
    transactions: createTable<TransactionRecord>((row) => row.id, 'flow.id'),
    runTraces: createTable<RunTraceRecord>((row) => row.id, 'flow.id'),
    components: createTable<TaggedComponent>((row) => row.id, 'component.id', [
      ['component.name', (row) => pair(row.ownerId, row.name)],
    ]),
    tags: createTable<TagRecord>((row) => row.id, 'tag.id', [['tag.name', (row) => row.name]]),
    likes: createTable<Like>((row) => pair(row.userId, row.componentId), 'component.id'),
    mcpServers: createTable<McpServerRecord>((row) => pair(row.userId, row.name), 'mcpServer.name'),
    refreshFamilies: createTable<RefreshFamilyRecord>((row) => row.id, 'refreshFamily.id'),
    refreshTokens: createTable<RefreshToken>((row) => row.id, 'refreshFamily.id'),
    oidcLinks: createTable<OidcLinkRecord>(
      (row) => pair(row.issuer, row.subject),
      'oidcLink.subject',
    ),
  }
}
