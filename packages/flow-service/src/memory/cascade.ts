import { removeCollections } from './collections.ts'
import { pair } from '@x/wire'
import type { MemoryTables } from './tables.ts'

/** Removes everything that belongs to a user; returns the ids of the removed flows. */
export function removeOwned(tables: MemoryTables, userId: string): string[] {
  const { apiKeys, variables, projects, flows, userFiles, components, likes } = tables
  for (const { id } of apiKeys.filter((row) => row.userId === userId)) apiKeys.delete(id)
  for (const { id } of variables.filter((row) => row.userId === userId)) variables.delete(id)
  for (const { id } of projects.filter((row) => row.userId === userId)) projects.delete(id)
  const flowIds = flows.filter((row) => row.userId === userId).map(({ id }) => id)
  for (const id of flowIds) removeFlow(tables, id)
  for (const { id } of userFiles.filter((row) => row.userId === userId)) userFiles.delete(id)
  const shared = components.filter((row) => row.ownerId === userId).map((row) => row.id)
  for (const id of shared) components.delete(id)
  for (const like of likes.filter(
    (row) => row.userId === userId || shared.includes(row.componentId),
  )) {
    likes.delete(pair(like.userId, like.componentId))
  }
  removeCollections(tables, userId)
  removeSignIn(tables, userId)
  return flowIds
}

function removeSignIn(tables: MemoryTables, userId: string): void {
  const { messages, mcpServers, refreshFamilies, oidcLinks } = tables
  for (const { id } of messages.filter((row) => row.userId === userId)) messages.delete(id)
  for (const row of mcpServers.filter((server) => server.userId === userId)) {
    mcpServers.delete(pair(row.userId, row.name))
  }
  for (const { id } of refreshFamilies.filter((row) => row.userId === userId)) {
    removeFamily(tables, id)
  }
  for (const row of oidcLinks.filter((link) => link.userId === userId)) {
    oidcLinks.delete(pair(row.issuer, row.subject))
  }
}

/** Removes a flow with its versions, messages and all that its runs have left. */
export function removeFlow(tables: MemoryTables, flowId: string): void {
  const { flows, flowVersions, flowVersionCounts } = tables
  flows.delete(flowId)
  for (const { id } of flowVersions.filter((row) => row.flowId === flowId)) flowVersions.delete(id)
  flowVersionCounts.delete(flowId)
  removeRecords(tables, flowId)
}

/** Removes the messages, vertex builds, transactions and traces of a flow. */
export function removeRecords(tables: MemoryTables, flowId: string): void {
  const { messages, vertexBuilds, transactions, runTraces } = tables
  for (const { id } of messages.filter((row) => row.flowId === flowId)) messages.delete(id)
  for (const { buildId } of vertexBuilds.filter((row) => row.flowId === flowId)) {
    vertexBuilds.delete(buildId)
  }
  for (const { id } of transactions.filter((row) => row.flowId === flowId)) transactions.delete(id)
  for (const { id } of runTraces.filter((row) => row.flowId === flowId)) runTraces.delete(id)
}

/** Removes a refresh token family and its tokens. */
export function removeFamily(tables: MemoryTables, familyId: string): void {
  const { refreshFamilies, refreshTokens } = tables
  refreshFamilies.delete(familyId)
  for (const { id } of refreshTokens.filter((row) => row.familyId === familyId)) {
    refreshTokens.delete(id)
  }
}
