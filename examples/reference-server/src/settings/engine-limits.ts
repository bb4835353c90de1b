import type { FlowServiceDoors, McpOptions } from '@x/flow-service'
import type { RunLimits } from '@x/flow-engine'
import type { DemoSurfaceLimits } from '../surfaces/demo-surface.ts'
import type { Settings } from './read-settings.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Run limits from the variables (OP-16). */
export function runLimits(settings: Settings): Partial<RunLimits> {
  const vertexSeconds = settings.SERVICE_MAX_VERTEX_SECONDS ?? 0
  return definedOnly({
    vertices: settings.SERVICE_MAX_FLOW_VERTICES,
    edges: settings.SERVICE_MAX_FLOW_EDGES,
    loopPasses: settings.SERVICE_MAX_LOOP_PASSES,
    runTimeoutMs: times(settings.SERVICE_MAX_RUN_SECONDS, 1000),
    vertexTimeoutMs: vertexSeconds === 0 ? null : vertexSeconds * 1000,
    events: settings.SERVICE_MAX_RUN_EVENTS,
    eventBytes: times(settings.SERVICE_MAX_EVENT_KIB, KIB),
    valueBytes: times(settings.SERVICE_MAX_VALUE_MB, MIB),
    checkpointBytes: times(settings.SERVICE_MAX_CHECKPOINT_MB, MIB),
    bufferedTokens: settings.SERVICE_MAX_BUFFERED_TOKENS,
  })
}

/** Options of the MCP servers; false if they are disabled. */
export function mcpOptions(settings: Settings): McpOptions | false {
  if (settings.SERVICE_MCP_SERVER === false) return false
  return {
    sse: settings.SERVICE_MCP_SSE !== false,
    anonymous: settings.SERVICE_MCP_ANONYMOUS === true,
    ...definedOnly({
      callTimeoutMs: settings.SERVICE_MCP_CALL_TIMEOUT_MS,
      maxCalls: settings.SERVICE_MCP_MAX_CALLS,
      maxTools: settings.SERVICE_MCP_MAX_TOOLS,
      maxBodyBytes: times(settings.SERVICE_MCP_MAX_BODY_KIB, KIB),
      maxResourceBytes: times(settings.SERVICE_MCP_MAX_RESOURCE_MB, MIB),
      maxSseSessions: settings.SERVICE_MCP_MAX_STREAMS,
    }),
  }
}

type OpenAiOptions = Exclude<FlowServiceDoors['openai'], false | undefined>

/** Options of the OpenAI-compatible API; false if it is disabled. */
export function openAiOptions(settings: Settings): OpenAiOptions | false {
  if (settings.SERVICE_OPENAI_API === false) return false
  return definedOnly({
    maxRuns: settings.SERVICE_OPENAI_MAX_RUNS,
    timeoutMs: times(settings.SERVICE_OPENAI_TIMEOUT_SECONDS, 1000),
  })
}

/** Limits of the demo surface: its store, its channel and messages posted by viewers. */
export function surfaceLimits(settings: Settings): DemoSurfaceLimits {
  return {
    store: definedOnly({
      surfaces: settings.SERVICE_SURFACE_MAX_SURFACES,
      totalSize: times(settings.SERVICE_SURFACE_MAX_MB, MIB),
    }),
    channel: definedOnly({
      history: settings.SERVICE_SURFACE_HISTORY,
      historyBytes: times(settings.SERVICE_SURFACE_HISTORY_MB, MIB),
      highWaterMark: settings.SERVICE_SURFACE_WAITING,
      slowMs: settings.SERVICE_SURFACE_SLOW_MS,
      maxSubscribers: settings.SERVICE_SURFACE_MAX_VIEWERS,
    }),
    handler: definedOnly({ maxBodyBytes: times(settings.SERVICE_SURFACE_MAX_BODY_KIB, KIB) }),
  }
}

const times = (value: number | undefined, unit: number): number | undefined =>
  value === undefined ? undefined : value * unit

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Removes undefined properties. */
function definedOnly<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Defined<T>
}
