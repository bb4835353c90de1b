import type { OidcLinkStore, RefreshFamilyStore } from '../store/sign-in.ts'
import { removeFamily } from './cascade.ts'
import { copy, copyOrNull, pair } from '@x/wire'
import type { MemoryTables } from './tables.ts'

/** Creates the in-memory store of refresh token families. */
export function createRefreshFamilies(tables: MemoryTables): RefreshFamilyStore {
  const { refreshFamilies, refreshTokens } = tables
  const unused = (id: string, familyId: string): void =>
    refreshTokens.insert({ id, familyId, usedAt: null, successorId: null })
  return {
    get: async (id) => copyOrNull(refreshFamilies.get(id)),
    async insert(record, tokenId) {
      refreshFamilies.insert(copy(record))
      unused(tokenId, record.id)
    },
    async use({ familyId, tokenId, successorId, at }) {
      const token = refreshTokens.get(tokenId)
      if (token?.familyId !== familyId) return null
      if (token.usedAt !== null && token.successorId !== null) {
        return { first: false, usedAt: new Date(token.usedAt), successorId: token.successorId }
      }
      refreshTokens.replace({ ...token, usedAt: new Date(at), successorId })
      unused(successorId, familyId)
      return { first: true, usedAt: new Date(at), successorId }
    },
    remove: async (id) => removeFamily(tables, id),
    async removeOfUser(userId) {
      for (const { id } of refreshFamilies.filter((row) => row.userId === userId)) {
        removeFamily(tables, id)
      }
    },
    async keepOnly(userId, id) {
      for (const row of refreshFamilies.filter((other) => other.userId === userId)) {
        if (row.id !== id) removeFamily(tables, row.id)
      }
      for (const row of refreshTokens.filter((token) => token.familyId === id)) {
        refreshTokens.delete(row.id)
      }
    },
    async keepNewest(userId, most) {
      const own = refreshFamilies.filter((row) => row.userId === userId)
      for (const { id } of own.slice(0, Math.max(0, own.length - most))) removeFamily(tables, id)
    },
    async trim(before) {
      for (const { id } of refreshFamilies.filter((row) => row.expiresAt < before)) {
        removeFamily(tables, id)
      }
    },
  }
}

/** Creates the in-memory store of OpenID Connect links. */
export function createOidcLinks({ oidcLinks }: MemoryTables): OidcLinkStore {
  return {
    find: async (issuer, subject) => copyOrNull(oidcLinks.get(pair(issuer, subject))),
    insert: async (record) => oidcLinks.insert(copy(record)),
  }
}
