import type { MessageJson } from '../values/message-json.ts'
import type { RunWarningJson } from './run-warning.ts'

export type { MessageJson } from '../values/message-json.ts'

/** An event of a run. `seq` counts from 0 without gaps; `data` is computed on first access. */
export type RunEvent = { [K in keyof RunEventData]: RunEventOf<K> }[keyof RunEventData]

/** An event of one kind. */
export interface RunEventOf<K extends keyof RunEventData> {
  readonly seq: number
  readonly event: K
  readonly data: RunEventData[K]
  /** The sending vertex of `token`, `reasoning`, `add_message` and `remove_message`; not on the wire. */
  readonly vertexId?: string | undefined
}

/** An event that is assigned its `seq` when sent. */
export interface UnsentEvent<K extends keyof RunEventData> extends RunEventOf<K> {
  seq: number
}

/** The `data` of each event kind, exactly as sent over HTTP. */
export interface RunEventData {
  vertices_sorted: { ids: string[]; to_run: string[] }
  end_vertex: { build_data: VertexBuildJson }
  add_message: MessageJson
  token: { chunk: string; id: string }
  /** What a model thinks before the text of message `id`. Sent only by runs that ask for it. */
  reasoning: { chunk: string; id: string }
  remove_message: { id: string }
  build_start: { id: string }
  build_end: { id: string }
  error: MessageJson | ErrorMessageJson
  suspended: SuspendedJson
  /** Sent only by jobs that ask for it. `expired`: how long nobody answered; else there is a `decision`. */
  answered: { request_id: string; decision?: unknown; expired?: string }
  /** `warnings` is omitted if there are none. */
  end: { cancelled?: true; warnings?: RunWarningJson[] }
}

/** A question the job waits for; sent only by flows that ask. */
export interface SuspendedJson {
  job_id: string
  request_id: string
  vertex_id: string
  kind: string
  prompt: string | null
  options: { action_id: string; label: string }[]
  allowed_decisions: string[]
  /** Present for tool calls that require approval. */
  action_requests?: { name: string; args: unknown; description?: string }[]
  schema: object | null
  question: unknown
  /** ISO with `Z`. */
  asked_at: string
  expires_at: string | null
}

export interface VertexBuildJson {
  id: string
  inactivated_vertices: string[]
  next_vertices_ids: string[]
  top_level_vertices: string[]
  valid: boolean
  params: string | null
  data: VertexDataJson
  /** ISO with `Z`. */
  timestamp: string
}

/** The wire form of a vertex build. */
export interface VertexDataJson {
  results: Record<string, unknown>
  outputs: Record<string, OutputJson>
  logs: Record<string, LogJson[]>
  artifacts: Record<string, unknown>
  message: Record<string, unknown>
  /** Seconds. */
  timedelta: number
  duration: string
  used_frozen_result: boolean
}

export interface OutputJson {
  message: unknown
  type: string
}

export interface LogJson {
  name: string
  message: unknown
  type: string
}

/** The message of a failure before the first vertex; it is not stored. */
export interface ErrorMessageJson extends Omit<MessageJson, 'session_id'> {
  session_id: string | null
}

/** An event whose data is computed on first access and then cached. */
export class LazyEvent<K extends keyof RunEventData> implements RunEventOf<K> {
  readonly seq: number
  readonly event: K
  #make: (() => RunEventData[K]) | undefined
  readonly vertexId: string | undefined
  #data: RunEventData[K] | undefined = undefined

  constructor(seq: number, event: K, make: () => RunEventData[K], vertexId?: string) {
    this.seq = seq
    this.event = event
    this.vertexId = vertexId
    this.#make = make
  }

  get data(): RunEventData[K] {
    if (this.#make !== undefined) {
      this.#data = this.#make()
      this.#make = undefined
    }
    return this.#data as RunEventData[K]
  }

  toJSON(): object {
    return eventJson(this)
  }
}

/** A streamed token. Its data is created eagerly, as that is no more expensive than deferring it. */
export class TokenEvent implements RunEventOf<'token'> {
  readonly seq: number
  readonly event = 'token'
  readonly data: TokenData
  readonly vertexId: string | undefined

  constructor(seq: number, data: TokenData, vertexId: string | undefined) {
    this.seq = seq
    this.data = data
    this.vertexId = vertexId
  }

  toJSON(): object {
    return eventJson(this)
  }
}

/** The data of a token event. A class, not a literal (decision 009). */
export class TokenData {
  readonly chunk: string
  /** Message id. */
  readonly id: string

  constructor(chunk: string, id: string) {
    this.chunk = chunk
    this.id = id
  }
}

/** `data` is a getter, not an own property, so JSON.stringify would omit it. */
export function eventJson({ seq, event, data }: RunEventOf<keyof RunEventData>): object {
  return { seq, event, data }
}
