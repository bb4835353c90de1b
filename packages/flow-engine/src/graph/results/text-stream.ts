import { FlowError } from '../../errors.ts'
import type { RunResult } from '../context/run-options.ts'
import { selectsOutput, type CheckedRun } from '../context/checked-run.ts'
import type { RunEvent } from '../events/run-event.ts'

/** A run whose text is read as a stream. */
export interface StreamedRun {
  /** Returns an iterator from the first event for each reader. */
  readonly events: () => AsyncIterable<RunEvent>
  readonly result: () => Promise<RunResult>
  /** True if a vertex writes the text. Default: the first message that arrives in chunks is the text. */
  readonly writes?: (vertexId: string | undefined) => boolean
}

/** Chunks of the result text as they arrive, for any number of readers. */
export function textStream(source: StreamedRun): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => pieces(source) }
}

/**
 * If the message is withdrawn, or its final text differs from the chunks, the new text follows.
 * @throws the error of the run, after the chunks
 */
async function* pieces({ events, result, writes }: StreamedRun): AsyncGenerator<string, void> {
  let message: string | undefined
  let given = ''
  for await (const { event, data, vertexId } of events()) {
    if (event === 'remove_message' && data.id === message) {
      message = undefined
      given = ''
    }
    if (event !== 'token' || data.chunk === '') continue
    const isOther = message !== undefined && message !== data.id
    if (writes === undefined ? isOther : !writes(vertexId)) continue
    if (isOther) given = ''
    message = data.id
    given += data.chunk
    yield data.chunk
  }
  const ended = await result()
  const text = ended.text()
  const rest = text?.startsWith(given) === true ? text.slice(given.length) : (text ?? '')
  if (rest !== '') yield rest
  if (ended.status !== 'succeeded')
    throw ended.error ?? new FlowError('cancelled', 'The run was cancelled')
}

/** True for the first reported vertex and for the vertices that feed it. */
export function writersOf(run: CheckedRun): (vertexId: string | undefined) => boolean {
  let ids: ReadonlySet<string> | undefined
  return (vertexId) => {
    if (vertexId === undefined) return false
    if (ids === undefined) {
      const { vertices } = run.graph
      const first = vertices.find(selectsOutput(run))
      const before = first?.incoming.map(({ source }) => vertices[source]?.id ?? '') ?? []
      ids = new Set(first === undefined ? [] : [first.id, ...before])
    }
    return ids.has(vertexId)
  }
}
