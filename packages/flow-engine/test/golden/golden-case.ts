import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Recorded results of single components, beside the checkout; undefined where the folder is absent. */
export const goldenFolder = ['../../../../../shared/golden/components']
  .map((path) => join(import.meta.dirname, path))
  .find((path) => existsSync(path))

export interface HttpEntry {
  readonly when?: string
  readonly repeat?: boolean | number
  readonly drop?: boolean
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly json?: unknown
  readonly body?: string
  readonly sse?: readonly unknown[]
}

export interface Expectation {
  readonly value?: unknown
  readonly error?: { message?: string; prefix?: string; any?: boolean }
  readonly steps?: readonly {
    outputs?: Record<string, unknown>
    branches?: unknown[]
    error?: Expectation['error']
  }[]
  readonly template_changes?: Record<string, Record<string, unknown> | null>
  readonly outputs?: unknown
  readonly requests?: readonly Record<string, unknown>[]
  readonly stored?: readonly unknown[]
  readonly files?: Record<string, unknown>
  readonly events?: readonly Record<string, unknown>[]
}

export interface GoldenCase {
  readonly name: string
  readonly inputs?: Record<string, unknown>
  readonly output?: string
  readonly call?: { tool: string; args: Record<string, unknown> }
  readonly steps?: readonly { inputs: Record<string, unknown>; outputs?: readonly string[] }[]
  readonly feedback_from?: string
  readonly update?: { field: string; value: unknown }
  readonly session_id?: string
  readonly flow_id?: string
  readonly id?: string
  readonly store?: readonly Record<string, unknown>[]
  readonly files?: Record<string, string | { base64: string }>
  readonly sql?: string
  readonly http?: readonly HttpEntry[]
  readonly embed?: { query?: string; documents?: readonly string[] }
  readonly invoke?: string
  readonly kb?: { bases: readonly string[]; ingest?: readonly Record<string, unknown>[] }
  readonly sort_requests?: boolean
  readonly subset?: boolean
  readonly match?: Record<string, string>
  readonly expect: Expectation
}

export interface GoldenFile {
  readonly component: string
  readonly cases: readonly GoldenCase[]
}

export function readGoldenFiles(folder: string): GoldenFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as GoldenFile)
}
