import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { CachedResult } from './cache.ts'
import type { PlanVertex } from './plan-graph.ts'
import type { RawInputs } from './inputs.ts'
import type { BranchCall, LogEntry } from './vertex-context.ts'
import { isData } from './values/data.ts'
import { isDataFrame } from './values/data-frame.ts'
import { formatValue } from './values/format-value.ts'
import { isMessage } from './values/message.ts'

/** What a frozen vertex keeps besides its values. */
export interface FrozenResult extends CachedResult {
  readonly branches: readonly BranchCall[]
  readonly logs: ReadonlyMap<string, readonly LogEntry[]>
  readonly hasStatus: boolean | 'text'
}

export interface KeyRequest {
  readonly vertex: PlanVertex
  readonly userId: string | undefined
  readonly flowId: string
  readonly raw: RawInputs
  /** Fields whose values are left out: secrets. */
  readonly secret: ReadonlySet<string>
  /** Keys of the results that feed it, in edge order. */
  readonly upstream: readonly (string | undefined)[]
}

/** Owner, flow, vertex, component and everything that went into the result (FE-33). */
export function resultKey(request: KeyRequest): string {
  const { vertex, raw, secret } = request
  const inputs = Object.keys(raw)
    .filter((name) => !secret.has(name))
    .toSorted()
    .map((name) => [name, identity(raw[name])])
  const { component } = vertex
  const text = JSON.stringify([
    request.userId ?? null,
    request.flowId,
    vertex.id,
    component.type,
    component.version ?? '',
    vertex.computed,
    inputs,
    request.upstream.map((key) => key ?? null),
  ])
  return bytesToHex(sha256(utf8ToBytes(text)))
}

/** A value without what differs from run to run: ids and times of messages. */
export function identity(value: unknown): unknown {
  if (isMessage(value)) {
    const { text, sender, senderName, contextId, files } = value
    return ['message', text, sender, senderName, contextId, formatValue(files)]
  }
  if (isData(value)) return ['data', formatValue(value.data), value.textKey]
  // A missing cell is not one of null, which texts tell apart.
  if (isDataFrame(value)) return ['dataframe', formatValue(value.rows)]
  return Array.isArray(value) ? value.map(identity) : formatValue(value)
}

export function isFrozenResult(value: CachedResult): value is FrozenResult {
  return 'branches' in value && 'logs' in value
}
