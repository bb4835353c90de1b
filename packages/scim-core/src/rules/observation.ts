import { isObject } from '@x/wire'
import type { ScimAuditEntry } from '../options/events.ts'
import type { ScimObservation } from '../options/observation.ts'
import type { Outcome } from './service.ts'

const MAX_IGNORED = 1_000
const UNSEEN = { path: null, secretId: null, clientAddress: null }

/** What `observe` gets of an operation. */
export function observationOf(
  { ignored: _names, ignoredCount: _count, ...entry }: ScimAuditEntry,
  { error, trace, seen = UNSEEN }: Outcome,
): ScimObservation {
  const { refused } = seen
  const body = entry.resourceType === 'User' ? trace?.body : undefined
  const { path, secretId, clientAddress } = seen
  return {
    ...entry,
    tenant: entry.tenant ?? refused?.tenant ?? null,
    ...(entry.connectionId === undefined &&
      refused?.connectionId !== undefined && { connectionId: refused.connectionId }),
    path,
    detail: error?.detail ?? null,
    name: trace?.userName ?? nameIn(trace?.body),
    ...(trace?.results !== undefined && { results: trace.results }),
    secretId: secretId ?? refused?.secretId ?? null,
    clientAddress,
    ...(refused !== undefined && { refused: refused.problem }),
    ignored: [...(trace?.ignored ?? [])]
      .slice(0, MAX_IGNORED)
      .map(([at, reason]) => ({ path: at, reason })),
    ...(isObject(body) && { body: withoutPassword(body) }),
  }
}

/** The name that a body gives to a resource. */
function nameIn(body: unknown): string | null {
  if (!isObject(body)) return null
  const { userName, displayName } = body
  const name = userName ?? displayName
  return typeof name === 'string' ? name : null
}

/** A copy without passwords, however deep and in whatever letter case; PATCH names them by path. */
function withoutPassword(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPassword)
  if (!isObject(value)) return value
  const isPath = Object.entries(value).some(
    ([key, path]) => key.toLowerCase() === 'path' && typeof path === 'string' && isPassword(path),
  )
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      isPassword(key) || (isPath && key.toLowerCase() === 'value')
        ? NOT_KEPT
        : withoutPassword(inner),
    ]),
  )
}

const NOT_KEPT = '(not kept)'

const isPassword = (path: string): boolean => /(^|[:.])password$/i.test(path.trim())
