import type { Tracer } from '@opentelemetry/api'
import type { RequestHooks } from '@x/wire'
import type { RunHooks } from '../graph/context/run-hooks.ts'
import { callSpans } from './call-spans.ts'
import type { ContentMode } from './content-attributes.ts'
import { openSpans } from './open-spans.ts'
import { requestSpans } from './request-spans.ts'
import { runSpans } from './run-spans.ts'

export interface OpenTelemetryOptions {
  /**
   * Records inputs and outputs of vertices, models and tools as attributes: not at all, truncated to 1,000
   * characters each, or in full. Secrets are masked. Default `none`.
   */
  readonly content?: ContentMode
}

/** Hooks that create spans. */
export interface OpenTelemetryHooks {
  /** For the `hooks` option of `createFlowService`, `createBuildJobs` and `runFlow`. */
  readonly hooks: RunHooks
  /** For the `requestHooks` option of `createFlowService`, `createScimService` and `createSurfaceHandler`. */
  readonly requestHooks: RequestHooks
}

/**
 * Creates spans for requests, runs, vertices and calls with the host's tracer. Attributes
 * follow the GenAI semantic conventions 1.41.0. Spans nest through the context manager registered by the
 * host; without one they are still attached to the right run.
 */
export function openTelemetryHooks(
  tracer: Tracer,
  { content = 'none' }: OpenTelemetryOptions = {},
): OpenTelemetryHooks {
  const open = openSpans()
  return {
    hooks: {
      content: content !== 'none',
      ...runSpans(tracer, open, content),
      ...callSpans(tracer, open, content),
    },
    requestHooks: requestSpans(tracer),
  }
}
