import { formatValue, isMessage, type RunResult } from '@x/flow-engine'
import type { ExpectedResult } from './recording.ts'

/** What a result is compared by: without times, ids and objects that only live in memory. */
export function expectedResult(result: RunResult): ExpectedResult {
  return {
    version: 1,
    status: result.status,
    text: result.text() ?? null,
    vertices: [...result.vertices.values()].map(({ id, displayName, valid, outputs, error }) => ({
      id,
      name: displayName,
      status: valid ? 'ok' : 'failed',
      outputs: Object.fromEntries(
        Object.entries(outputs).map(([name, value]) => [name, plainOutput(value)]),
      ),
      ...(error === undefined ? {} : { error: error.message }),
    })),
  }
}

const OBJECT = '<object>'

function plainOutput(value: unknown): unknown {
  if (isMessage(value)) return plainMessage(value)
  if (Array.isArray(value)) return value.map(plainOutput)
  return isLive(value) ? OBJECT : formatValue(value)
}

function plainMessage(message: object): unknown {
  const json = formatValue(message) as Readonly<Record<string, unknown>>
  const kept = ['text', 'sender', 'sender_name', 'files', 'error'].flatMap((key) => {
    const value = json[key]
    const isEmpty = Array.isArray(value) && value.length === 0
    const isBlank = value === undefined || value === null || value === '' || value === false
    return (isBlank && key !== 'text') || isEmpty ? [] : [[key, value ?? ''] as const]
  })
  return Object.fromEntries(kept)
}

/** Models, embedders, tools and the like. */
function isLive(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'function'
  return ['stream', 'embed', 'call', 'invoke'].some(
    (name) => typeof Reflect.get(value, name) === 'function',
  )
}
