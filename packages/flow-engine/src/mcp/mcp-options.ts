import type { ToolAnnotations } from './mcp-server.ts'

/** A flow as `annotations` sees it. */
export interface AnnotatedFlow {
  readonly id: string
  readonly name: string
  readonly description: string | null
}

/** Options for serving projects to MCP clients (MC-100). */
export interface McpOptions {
  /** Projects whose `auth_type` is `none` open without credentials; false (MC-7). */
  readonly anonymous?: boolean
  /** Serves the HTTP+SSE transport of 2024-11-05. Default true. */
  readonly sse?: boolean
  /** Longest time of a call, in milliseconds; 300,000. */
  readonly callTimeoutMs?: number
  /** Calls of one user at once; 256. */
  readonly maxCalls?: number
  /** Tools of one project; 1,000. */
  readonly maxTools?: number
  /** Bytes of a message; 4 MiB. */
  readonly maxBodyBytes?: number
  /** Bytes of a file that is read as a resource; 10 MiB. */
  readonly maxResourceBytes?: number
  /** Open SSE streams of one user; 20. The process holds 1,000 at most. */
  readonly maxSseSessions?: number
  /** Milliseconds that clients of 2026-07-28 may keep lists; 0. */
  readonly listTtlMs?: number
  /** Lists flows that cannot be compiled; calls of them fail. False. */
  readonly listBroken?: boolean
  /** Hints for clients about the tool that a flow is; none by default. */
  readonly annotations?: (flow: AnnotatedFlow) => ToolAnnotations | undefined
  /** Address of the host's protected resource metadata (RFC 9728), named in every 401. */
  readonly resourceMetadata?: string
}

/** With every default filled in. */
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
 * The given options over the defaults; undefined counts as not given.
 * @throws TypeError that names the option
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
    throw new TypeError(`mcp.${name} must be a whole number of at least ${least}`)
  if (name === 'annotations' && typeof value !== 'function')
    throw new TypeError('mcp.annotations must be a function')
  if (name === 'resourceMetadata' && !(typeof value === 'string' && URL.canParse(value)))
    throw new TypeError('mcp.resourceMetadata must be an address')
}
