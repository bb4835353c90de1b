import type { Artifact, Message, Part, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk'
import type { FileLinks } from '../files/file-links.ts'
import type { TurnPart } from '../parts/turn-part.ts'
import type { DoorSurfaces } from '../parts/door-surfaces.ts'
import { isWithdrawn, surfaceMessages, TurnState, type CallOutcome } from '../parts/turn-state.ts'
import { durationOf, usageOf, type Turn } from '../turns/turn.ts'
import type { A2aSdk } from './a2a-sdk.ts'

export interface TaskWriterOptions {
  readonly sdk: A2aSdk
  readonly turn: Turn
  readonly files: FileLinks
  /** How surfaces are sent, if the client asked for their extension; its address is `uri`. */
  readonly surfaces?: (Pick<DoorSurfaces, 'dataParts'> & { readonly uri: string }) | undefined
}

/** Writes the parts of a turn as updates of its task. */
export class TaskWriter {
  readonly state = new TurnState()
  readonly #sdk: A2aSdk
  readonly #turn: Turn
  readonly #files: FileLinks
  readonly #surfaces: TaskWriterOptions['surfaces']
  /** Artifacts by the id of their text. */
  readonly #answers = new Map<string, string>()
  /** Artifacts whose text was withdrawn: the next text takes their place. */
  readonly #free: string[] = []
  /** Artifacts of which something was sent. */
  readonly #begun = new Set<string>()
  #count = 0

  constructor({ sdk, turn, files, surfaces }: TaskWriterOptions) {
    this.#sdk = sdk
    this.#turn = turn
    this.#files = files
    this.#surfaces = surfaces
  }

  skip(part: TurnPart): void {
    this.#number(part)
    this.state.add(part)
  }

  write(part: TurnPart): StreamResponse[] {
    this.#number(part)
    const { state } = this
    state.add(part)
    switch (part.kind) {
      case 'text': {
        const id = this.#answers.get(part.id) ?? ''
        const append = this.#begun.has(id)
        this.#begun.add(id)
        return [this.#update(id, [text(part.text)], { append, lastChunk: false })]
      }
      case 'text-end':
        return [
          this.#update(this.#answers.get(part.id) ?? '', [text('')], {
            append: true,
            lastChunk: true,
          }),
        ]
      case 'call':
      case 'result':
      case 'call-error':
      case 'denied':
        return this.#tool(part.id)
      case 'block':
      case 'file':
      case 'source':
        return this.#shown(part.kind)
      case 'surface':
        return this.#cards(part.id).map((one) => this.#send(one))
      default:
        return []
    }
  }

  /** The artifact of a text that is whole. */
  answer(textId: string): StreamResponse[] {
    const item = this.state.items.find((one) => one.kind === 'text' && one.id === textId)
    const id = this.#answers.get(textId)
    if (item?.kind !== 'text' || id === undefined) return []
    return [this.#send(artifact(id, [text(item.text)]))]
  }

  /** What the client holds of texts that were withdrawn for good. */
  emptied(): StreamResponse[] {
    return this.#free
      .filter((id) => this.#begun.has(id))
      .map((id) => this.#update(id, [text('')], { append: false, lastChunk: true }))
  }

  /** The task as it stands. @param turn with its job as it is now */
  task(turn: Turn, historyLength?: number): Task {
    const { id, job, note } = turn
    const { Role } = this.#sdk
    const said = note.parts.flatMap(({ text: value }) =>
      typeof value === 'string' ? [text(value)] : [],
    )
    const history = [
      { ...this.#message(said), messageId: note.messageId, role: Role.ROLE_USER },
    ].slice(0, historyLength ?? 1)
    const usage = usageOf(job)
    const artifacts = this.#artifacts()
    for (const { artifactId } of artifacts) this.#begun.add(artifactId)
    return {
      id,
      contextId: job.sessionId ?? '',
      status: this.status(turn),
      artifacts,
      history,
      metadata:
        usage === undefined ? undefined : { usage: { ...usage }, durationMs: durationOf(job) },
    }
  }

  update(turn: Turn): StreamResponse {
    const { id: taskId, job } = turn
    const value = {
      taskId,
      contextId: job.sessionId ?? '',
      status: this.status(turn),
      metadata: undefined,
    }
    return { payload: { $case: 'statusUpdate', value } }
  }

  status({ job }: Turn): TaskStatus {
    const { TaskState } = this.#sdk
    const { error, question } = this.state
    const at = job.finishedAt ?? job.askedAt ?? job.startedAt ?? job.createdAt
    const of = (state: TaskStatus['state'], parts?: Part[]): TaskStatus => ({
      state,
      timestamp: at.toISOString(),
      message: parts === undefined ? undefined : this.#message(parts),
    })
    if (job.state === 'queued') return of(TaskState.TASK_STATE_SUBMITTED)
    if (job.state === 'cancelled') return of(TaskState.TASK_STATE_CANCELED)
    if (job.state === 'succeeded') return of(TaskState.TASK_STATE_COMPLETED)
    if (job.state === 'failed')
      return of(TaskState.TASK_STATE_FAILED, [text(error ?? job.error?.detail ?? 'The run failed')])
    if (job.state !== 'suspended' || question === undefined) return of(TaskState.TASK_STATE_WORKING)
    const { request_id: requestId, kind, prompt, options, schema, allowed_decisions } = question
    const facts = {
      requestId,
      kind,
      options,
      allowedDecisions: allowed_decisions,
      schema,
      question: question.question,
    }
    const said = prompt === null ? [] : [text(prompt)]
    return of(TaskState.TASK_STATE_INPUT_REQUIRED, [...said, data(facts)])
  }

  #number(part: TurnPart): void {
    if (part.kind === 'text-start') {
      const free = this.#free.shift()
      if (free === undefined) this.#count += 1
      else this.#begun.delete(free)
      this.#answers.set(part.id, free ?? `answer-${this.#count}`)
    }
    if (part.kind !== 'withdrawn') return
    for (const item of this.state.items) {
      if (item.kind !== 'text' || !isWithdrawn(item, part)) continue
      const id = this.#answers.get(item.id)
      if (id !== undefined) this.#free.push(id)
    }
  }

  #artifacts(): Artifact[] {
    const texts = this.state.items.flatMap((item) =>
      item.kind === 'text'
        ? [artifact(this.#answers.get(item.id) ?? item.id, [text(item.text)])]
        : [],
    )
    const others = (['file', 'block', 'source'] as const).flatMap((kind) => {
      const parts = this.#partsOf(kind)
      return parts.length === 0 ? [] : [artifact(`${kind}s`, parts)]
    })
    return [...texts, ...others, ...this.#cards()]
  }

  /** Each surface is an artifact with all its messages. @param id default: all surfaces */
  #cards(id?: string): Artifact[] {
    const surfaces = this.#surfaces
    if (surfaces === undefined) return []
    return this.state.items.flatMap((item) => {
      if (item.kind !== 'surface' || (id !== undefined && item.id !== id)) return []
      const parts = surfaces
        .dataParts(surfaceMessages(item))
        .map(({ data: value, mediaType }) => ({ ...data(value), mediaType }))
      return [{ ...artifact(`a2ui:${item.id}`, parts), extensions: [surfaces.uri] }]
    })
  }

  #send(value: Artifact): StreamResponse {
    return this.#artifactUpdate(value, { append: false, lastChunk: true })
  }

  #shown(kind: 'block' | 'file' | 'source'): StreamResponse[] {
    return [this.#update(`${kind}s`, this.#partsOf(kind), { append: false, lastChunk: true })]
  }

  #partsOf(kind: 'block' | 'file' | 'source'): Part[] {
    const { items } = this.state
    if (kind === 'source') {
      const sources = items.flatMap((item) => (item.kind === 'source' ? [item.source] : []))
      return sources.length === 0 ? [] : [data({ sources })]
    }
    return items.flatMap((item) => {
      if (item.kind === 'block' && kind === 'block') return [data(this.#files.block(item.block))]
      if (item.kind !== 'file' || kind !== 'file') return []
      const { url, mediaType } = this.#files.link(item.path)
      const filename = item.path.split('/').at(-1) ?? ''
      return [{ content: { $case: 'url', value: url }, metadata: undefined, filename, mediaType }]
    })
  }

  #tool(id: string): StreamResponse[] {
    const call = this.state.call(id)
    if (call === undefined) return []
    const { name, input, outcome } = call
    const tool = { id, name, input, ...ending(outcome) }
    const { TaskState } = this.#sdk
    const status: TaskStatus = {
      state: TaskState.TASK_STATE_WORKING,
      timestamp: undefined,
      message: this.#message([data({ tool })]),
    }
    const { id: taskId, job } = this.#turn
    const value = { taskId, contextId: job.sessionId ?? '', status, metadata: undefined }
    return [{ payload: { $case: 'statusUpdate', value } }]
  }

  #update(
    artifactId: string,
    parts: Part[],
    more: { readonly append: boolean; readonly lastChunk: boolean },
  ): StreamResponse {
    return this.#artifactUpdate(artifact(artifactId, parts), more)
  }

  #artifactUpdate(
    found: Artifact,
    more: { readonly append: boolean; readonly lastChunk: boolean },
  ): StreamResponse {
    const { id: taskId, job } = this.#turn
    const value = {
      taskId,
      contextId: job.sessionId ?? '',
      artifact: found,
      metadata: undefined,
      ...more,
    }
    return { payload: { $case: 'artifactUpdate', value } }
  }

  #message(parts: Part[]): Message {
    const { id: taskId, job } = this.#turn
    return {
      messageId: `${taskId}:status`,
      contextId: job.sessionId ?? '',
      taskId,
      role: this.#sdk.Role.ROLE_AGENT,
      parts,
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    }
  }
}

function ending(outcome: CallOutcome | undefined): object {
  if (outcome === undefined) return {}
  return 'denied' in outcome ? { error: outcome.denied || 'The call was rejected' } : outcome
}

function artifact(artifactId: string, parts: Part[]): Artifact {
  return { artifactId, name: '', description: '', parts, metadata: undefined, extensions: [] }
}

function text(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' }
}

function data(value: unknown): Part {
  return { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' }
}
