import { decodeEvent } from '@x/flow-engine/internal'
import type { MessageJson, VertexBuildJson } from '@x/flow-engine'
import type { RunWarningJson } from '@x/flow-engine/internal'
import { cutJson } from '@x/flow-engine/internal'
import { formatValue, type JsonValue } from '@x/flow-engine'
import type { EventLog, StoredEvent, StoredJob } from '@x/flow-engine/store'

/**
 * Events per read; other requests get a turn between reads. One event may have 8 MiB, and users may read
 * traces as often as they like.
 */
const PIECE = 20
/** Maximum number of events read for a trace, and of its spans shown. */
const MAX_EVENTS = 50_000
const MAX_SPANS = 1000
/** Outputs of a span are truncated to these limits, chat texts to the same number of characters. */
const OUTPUT_LIMITS = { textLength: 1000, items: 20, eventBytes: 16 * 1024 }

/** One build of a vertex, or the question a job waits for. */
export interface TraceSpan {
  readonly id: string
  readonly vertexId: string
  readonly startedAt: Date
  /** Null while a question is open. */
  readonly endedAt: Date | null
  readonly valid: boolean
  readonly error: string | null
  readonly outputs: Readonly<Record<string, JsonValue>> | null
}

/** A warning of a run and the vertex it concerns. */
export interface TraceWarning {
  readonly code: string
  readonly message: string
  readonly vertexId: string | null
}

/** A run, according to the log of its job or its own trace. */
export interface LoggedRun {
  readonly spans: readonly TraceSpan[]
  /** The user's first text, and the last text of anyone else. */
  readonly input: string | null
  readonly output: string | null
  readonly sessionId: string | null
  readonly warnings: readonly TraceWarning[]
  /** True if there was more than was read or shown. */
  readonly isCut: boolean
}

/** Reads the log of a job; text chunks are skipped unparsed. */
export async function readLoggedRun(
  log: Pick<EventLog, 'read'>,
  job: Pick<StoredJob, 'id' | 'state'>,
  signal: AbortSignal,
): Promise<LoggedRun> {
  const run = new RunReader(job)
  let after = -1
  for (let read = 0; read < MAX_EVENTS; read += PIECE) {
    signal.throwIfAborted()
    const events = await log.read(job.id, after, PIECE)
    for (const event of events) run.take(event)
    if (events.length < PIECE) return run.end(false)
    after = events.at(-1)?.seq ?? after
  }
  return run.end(true)
}

class RunReader {
  readonly #job: Pick<StoredJob, 'id' | 'state'>
  readonly #spans: TraceSpan[] = []
  #question: TraceSpan | undefined
  #input: string | null = null
  #output: string | null = null
  #sessionId: string | null = null
  #warnings: readonly TraceWarning[] = []
  #isCut = false

  constructor(job: Pick<StoredJob, 'id' | 'state'>) {
    this.#job = job
  }

  take(stored: StoredEvent): void {
    if (stored.event === 'token') return
    const event = decodeEvent(stored)
    if (event.event === 'end_vertex') this.#add(stored.seq, event.data.build_data)
    else if (event.event === 'add_message') this.#message(event.data)
    else if (event.event === 'end') this.#warnings = (event.data.warnings ?? []).map(toWarning)
    else if (event.event === 'suspended') {
      const { vertex_id: vertexId, asked_at: asked } = event.data
      const open = { endedAt: null, valid: true, error: null, outputs: null }
      this.#question = { ...open, id: this.#idOf(stored.seq), vertexId, startedAt: new Date(asked) }
    }
  }

  end(isCut: boolean): LoggedRun {
    const waits = this.#job.state === 'suspended' && this.#question !== undefined
    return {
      spans: waits && this.#question ? [...this.#spans, this.#question] : this.#spans,
      input: this.#input,
      output: this.#output,
      sessionId: this.#sessionId,
      warnings: this.#warnings,
      isCut: isCut || this.#isCut,
    }
  }

  #add(seq: number, { id: vertexId, valid, params, data, timestamp }: VertexBuildJson): void {
    if (this.#spans.length >= MAX_SPANS) {
      this.#isCut = true
      return
    }
    const endedAt = new Date(timestamp)
    const texts = Object.entries(data.outputs).map(([name, { message }]) => [name, message])
    const outputs = cutJson(formatValue(Object.fromEntries(texts)), OUTPUT_LIMITS)
    this.#spans.push({
      id: this.#idOf(seq),
      vertexId,
      startedAt: new Date(endedAt.getTime() - data.timedelta * 1000),
      endedAt,
      valid,
      error: valid ? null : params,
      outputs: valid ? (outputs as Record<string, JsonValue>) : null,
    })
  }

  #message(message: MessageJson): void {
    this.#sessionId = message.session_id
    const text = message.text.slice(0, OUTPUT_LIMITS.textLength)
    if (message.sender === 'User') this.#input ??= text
    else this.#output = text
  }

  #idOf(seq: number): string {
    return `${this.#job.id}-${seq}`
  }
}

function toWarning({ code, message, component_id: vertexId }: RunWarningJson): TraceWarning {
  return { code, message, vertexId: vertexId ?? null }
}
