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
   * What vertices, models and tools are given and answer, as attributes: nothing, the first 1,000 characters
   * of each, or all of it. Secrets are masked (OP-4). Default `none`.
   */
  readonly content?: ContentMode
}

/** Hooks that make spans. */
export interface OpenTelemetryHooks {
  /** Option of `createFlowEngine`, `createBuildJobs` and `runFlow`. */
  readonly hooks: RunHooks
  /** Option of `createFlowEngine`, `createScimService` and `createSurfaceHandler`. */
  readonly requestHooks: RequestHooks
}

/**
 * Makes spans of requests, runs, vertices and calls with a tracer of the host (OP-2 to OP-4). Attributes follow
 * the GenAI semantic conventions 1.41.0. Spans nest through the context manager that the host registered;
 * without one they still belong to the right run.
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
