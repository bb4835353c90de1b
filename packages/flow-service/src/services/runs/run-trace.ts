import type { Runtime } from '@x/wire'
import type { VertexBuildJson } from '@x/flow-engine'
import type { FlowRun, RunResult } from '@x/flow-engine'
import { classOf } from '@x/flow-engine/internal'
import type { RunTraceRecord } from '../../store/run-traces.ts'
import type { RecordWriter } from '../records/record-writer.ts'
import type { TraceDetails } from './trace-details.ts'

/** Maximum spans and warnings of a trace, and maximum characters of each of its texts. */
const MAX_SPANS = 1000
const MAX_WARNINGS = 100
const MAX_TEXT = 1000

/**
 * Collects the trace of a run that is not a job. A class, because it is created for every run
 * (decision 009).
 */
export class RunTrace {
  readonly #writer: Pick<RecordWriter, 'trace'>
  readonly #runtime: Pick<Runtime, 'now'>
  readonly #of: { readonly flowId: string; readonly ownerId: string }
  readonly #spans: TraceDetails['spans'][number][] = []
  #input: string | null = null
  #output: string | null = null
  #isCut = false

  constructor(
    { writer, runtime }: { writer: Pick<RecordWriter, 'trace'>; runtime: Pick<Runtime, 'now'> },
    of: { readonly flowId: string; readonly ownerId: string },
  ) {
    this.#writer = writer
    this.#runtime = runtime
    this.#of = of
  }

  /**
   * @param at end of the build, in milliseconds since 1970
   * @param text human-readable text of the result
   */
  built({ id, valid, data }: VertexBuildJson, at: number, text: string | null): void {
    if (this.#spans.length >= MAX_SPANS) this.#isCut = true
    else
      this.#spans.push([id, at, Math.round(data.timedelta * 1000), valid ? null : cut(text ?? '')])
    if (text === null || !valid) return
    const name = classOf(id)
    if (INPUTS.has(name)) this.#input ??= cut(text)
    else if (OUTPUTS.has(name)) this.#output = cut(text)
  }

  /** Hands the trace to the writer; does nothing for a run that was not started. */
  async end(run: FlowRun): Promise<void> {
    const result = await run.result.catch(() => undefined)
    if (result !== undefined) this.#writer.trace(this.#record(run.id, result))
  }

  #record(id: string, result: RunResult): RunTraceRecord {
    const { sessionId, status, usage, error, durationMs } = result
    const finishedAt = this.#runtime.now()
    const { flowId, ownerId } = this.#of
    // Written out, because spreading costs more than all the rest.
    return {
      id,
      flowId,
      ownerId,
      sessionId,
      state: status,
      startedAt: new Date(finishedAt.getTime() - Math.max(0, Math.round(durationMs))),
      finishedAt,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      error: error === undefined ? null : cut(error.detail),
      details: JSON.stringify(this.#details(result)),
    }
  }

  #details({ vertexUsage, warnings }: RunResult): TraceDetails {
    return {
      spans: this.#spans,
      input: this.#input,
      output: this.#output,
      ...(this.#isCut ? { isCut: true as const } : {}),
      ...(vertexUsage.size === 0
        ? {}
        : {
            usage: [...vertexUsage].map(([vertex, used]) => [
              vertex,
              used.inputTokens,
              used.outputTokens,
            ]),
          }),
      ...(warnings.length === 0
        ? {}
        : {
            warnings: warnings
              .slice(0, MAX_WARNINGS)
              .map(({ code, message, nodeId }) => [code, cut(message), nodeId ?? null]),
          }),
    }
  }
}

const INPUTS: ReadonlySet<string> = new Set(['ChatInput', 'TextInput'])
const OUTPUTS: ReadonlySet<string> = new Set(['ChatOutput', 'TextOutput'])

/** Ends before a character that would be cut in half: no half can be encoded. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(MAX_TEXT - 1))
  return text.slice(0, isHalf ? MAX_TEXT - 1 : MAX_TEXT)
}
