import { describe, expect, test } from 'vitest'
import { createTestRuntime } from '@x/flow-engine/testing'
import { eventResponse } from '../src/http/event-response.ts'

/** A stream of numbered texts without end. */
function serve() {
  const runtime = createTestRuntime()
  const facts = { left: 0, isEnded: false }
  const texts = async function* (signal: AbortSignal): AsyncGenerator<string> {
    signal.addEventListener('abort', () => {
      facts.isEnded = true
    })
    for (let n = 0; ; n += 1) yield `data: ${n}\n\n`
  }
  const response = eventResponse(texts, {
    request: new Request('http://host.example/'),
    runtime,
    headers: {},
    left: () => {
      facts.left += 1
    },
  })
  return { runtime, facts, reader: response.body?.getReader() }
}

describe('a reader of a stream', () => {
  test('DO-10: one that takes nothing for 30 s is dropped', async () => {
    const { runtime, facts, reader } = serve()
    await reader?.read()
    await runtime.advance(29_000)
    expect(facts).toEqual({ left: 0, isEnded: false })
    await runtime.advance(1000)
    expect(facts).toEqual({ left: 1, isEnded: true })
    await expect(reader?.read()).rejects.toThrow('The reader took nothing for 30 s')
  })

  test('DO-10: one that is slow stays', async () => {
    const { runtime, facts, reader } = serve()
    for (let n = 0; n < 5; n += 1) {
      await reader?.read()
      await runtime.advance(25_000)
    }
    expect(facts).toEqual({ left: 0, isEnded: false })
    await reader?.cancel()
    expect(facts.isEnded).toBe(true)
  })
})
