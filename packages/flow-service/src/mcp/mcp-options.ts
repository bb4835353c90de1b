import type { ToolAnnotations } from './mcp-server.ts'

/** A flow as passed to `annotations`. */
export interface AnnotatedFlow {
  readonly id: string
  readonly name: string
  readonly description: string | null
}

/** Options for serving projects to MCP clients. */
export interface McpOptions {
  /** Projects with `auth_type` `none` are served without credentials. Default false. */
  readonly anonymous?: boolean
  /** Serves the HTTP+SSE transport of 2024-11-05. Default true. */
  readonly sse?: boolean
  /** Maximum duration of a call, in milliseconds. Default 300,000. */
  readonly callTimeoutMs?: number
  /** Concurrent calls per user. Default 256. */
  readonly maxCalls?: number
  /** Maximum number of tools of one project. Default 1,000. */
  readonly maxTools?: number
  /** Maximum size of a message in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /** Maximum size in bytes of a file read as a resource. Default 10 MiB. */
  readonly maxResourceBytes?: number
  /** Open SSE streams per user. Default 20; at most 1,000 in the process. */
  readonly maxSseSessions?: number
  /** How long, in milliseconds, clients of 2026-07-28 may cache lists. Default 0. */
  readonly listTtlMs?: number
  /** Lists flows that cannot be compiled; calling them fails. Default false. */
  readonly listBroken?: boolean
  /** Tool annotations for a flow. Default: none. */
  readonly annotations?: (flow: AnnotatedFlow) => ToolAnnotations | undefined
  /** URL of the host's protected resource metadata (RFC 9728), sent with every 401. */
  readonly resourceMetadata?: string
}

/** The options with all defaults applied. */
export type ResolvedMcpOptions = Required<Omit<McpOptions, 'annotations' | 'resourceMetadata'>> &
  Pick<McpOptions, 'annotations' | 'resourceMetadata'>

const MIB = 1024 * 1024
const DEFAULTS: ResolvedMcpOptions = {
  anonymous: false,
  sse: true,
  callTimeoutMs: 300_000,
  maxCalls: 256,
  maxTools: 1000,
  maxBodyBytes: 4 * MIB,
  maxResourceBytes: 10 * MIB,
  maxSseSessions: 20,
  listTtlMs: 0,
  listBroken: false,
}
const OTHERS: ReadonlySet<string> = new Set(['annotations', 'resourceMetadata'])

/**
 * Applies the given options over the defaults; undefined counts as absent.
 * @throws TypeError naming the invalid option
 */
export function resolveMcpOptions(given: McpOptions = {}): ResolvedMcpOptions {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of entries) check(name, value)
  return { ...DEFAULTS, ...(Object.fromEntries(entries) as McpOptions) }
}

function check(name: string, value: unknown): void {
  const standard: unknown = Object.hasOwn(DEFAULTS, name) ? Reflect.get(DEFAULTS, name) : undefined
  if (standard === undefined && !OTHERS.has(name))
    throw new TypeError(`mcp.${name} is not an option of the MCP server`)
  if (typeof standard === 'boolean' && typeof value !== 'boolean')
    throw new TypeError(`mcp.${name} must be true or false`)
  const least = name === 'listTtlMs' ? 0 : 1
  if (typeof standard === 'number' && !(Number.isInteger(value) && Number(value) >= least))
    throw new TypeError(`mcp.${name} must be an integer of at least ${least}`)
  if (name === 'annotations' && typeof value !== 'function')
    throw new TypeError('mcp.annotations must be a function')
  if (name === 'resourceMetadata' && !(typeof value === 'string' && URL.canParse(value)))
    throw new TypeError('mcp.resourceMetadata must be an address')
}
