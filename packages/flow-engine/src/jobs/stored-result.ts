import { isObject } from '@x/wire'
import type { MessageRecord } from '../components/define/services.ts'
import { FlowError } from '../errors.ts'
import type { RunResult, VertexResult } from '../graph/context/run-options.ts'
import { decodeValue, encodeJson, encodeValue } from '../graph/durable/checkpoint.ts'
import { isMessage } from '../graph/values/message.ts'
import { valueBytes } from '../graph/values/value-size.ts'

/** Maximum bytes of an output that is stored with the end of its job. */
const MAX_OUTPUT_BYTES = 1024 * 1024

type Facts = Omit<VertexResult, 'outputs' | 'valid' | 'error'>

/** An output: its value, or the size of one that is too large to be stored. */
interface StoredOutput {
  readonly name: string
  readonly value?: unknown
  readonly bytes?: number
}

/** The parts of a result that its log lacks, as JSON. */
export interface StoredResult {
  readonly sessionId: string
  readonly outputs: readonly { readonly facts: Facts; readonly values: readonly StoredOutput[] }[]
  readonly messages: unknown
  readonly stalled: readonly string[]
  readonly durationMs: number
  /** Absent from results of earlier versions. */
  readonly spent?: RunResult['spent']
  /** What the recorder of the job keeps with its end, as JSON; absent beyond 1 MiB. */
  readonly answer?: unknown
}

/**
 * What a process that did not run the job needs to give the same result; values that only live in this
 * process, such as models, are left out.
 */
export function toStoredResult(result: RunResult, answer: unknown): StoredResult {
  const { sessionId, stalled, durationMs, spent } = result
  return {
    sessionId,
    outputs: result.outputs.map(({ outputs, valid: _valid, error: _error, ...facts }) => ({
      facts,
      values: Object.entries(outputs).flatMap(([name, value]) => storedOutput(name, value)),
    })),
    messages: bounded(result.messages),
    stalled,
    durationMs,
    spent,
    ...(answer === undefined || valueBytes(answer, MAX_OUTPUT_BYTES) > MAX_OUTPUT_BYTES
      ? {}
      : { answer }),
  }
}

function storedOutput(name: string, value: unknown): StoredOutput[] {
  const encoded = encodeJson(() => ({ name, value: encodeValue(value) }))
  if (encoded === undefined) return []
  const text = textOf(value) ?? encoded
  const bytes = new TextEncoder().encode(text).length
  // The text of a message need not be all of it.
  if (bytes > MAX_OUTPUT_BYTES || encoded.length > 2 * MAX_OUTPUT_BYTES) return [{ name, bytes }]
  return [JSON.parse(encoded) as StoredOutput]
}

/** Undefined if the value is no text; a message that still streams has none yet. */
function textOf(value: unknown): string | undefined {
  const text = isMessage(value) ? value.text : value
  return typeof text === 'string' ? text : undefined
}

/** Messages beyond the bound are read from the message store instead. */
function bounded(messages: readonly MessageRecord[]): unknown {
  if (valueBytes(messages, MAX_OUTPUT_BYTES) > MAX_OUTPUT_BYTES) return []
  const encoded = encodeJson(() => [encodeValue(messages)])
  return encoded === undefined ? [] : (JSON.parse(encoded) as unknown[])[0]
}

/** The stored parts of a result; undefined if another version stored something else. */
export function readStoredResult(stored: unknown): StoredResult | undefined {
  if (!isObject(stored) || !Array.isArray(stored['outputs'])) return undefined
  return stored as unknown as StoredResult
}

export function storedMessages({ messages }: StoredResult): MessageRecord[] {
  const decoded = decodeValue(messages)
  return Array.isArray(decoded) ? (decoded as MessageRecord[]) : []
}

/** The results of the output vertices; reading a value that was too large to store throws `too_large`. */
export function storedOutputs({ outputs }: StoredResult): VertexResult[] {
  return outputs.map(({ facts, values }) => {
    const read = Object.create(null) as Record<string, unknown>
    for (const { name, value, bytes } of values) {
      const get = (): unknown => {
        if (bytes === undefined) return decoded
        throw tooLarge(facts.id, bytes)
      }
      const decoded = bytes === undefined ? decodeValue(value) : undefined
      Object.defineProperty(read, name, { enumerable: true, get })
    }
    return { ...facts, valid: true, outputs: read }
  })
}

function tooLarge(id: string, bytes: number): FlowError {
  const text = `The output of ${id} has ${bytes} bytes; read it in the process that ran the job, or from the log`
  return new FlowError('too_large', text)
}
