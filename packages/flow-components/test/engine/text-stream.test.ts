import { afterEach, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, createMessage, defineComponent, output, runFlow } from '@x/flow-engine'
import { createBuildJobs } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { flowBuilder } from '@x/flow-engine/testing'
import { closeAll, closeLater } from '../../../flow-engine/test/jobs/asking.ts'

afterEach(closeAll)

type Say = (attempt: number) => AsyncIterable<string> | string

function speaking(type: string, say: Say) {
  return defineComponent({
    type,
    retry: { attempts: 2, delayMs: 0 },
    inputs: {},
    outputs: { out: output.message({ run: (_, { attempt }) => createMessage(say(attempt)) }) },
  })
}

/** Each component towards a chat output of its own. */
function flowOf(...components: ReturnType<typeof speaking>[]) {
  const flow = flowBuilder('speaking')
  for (const component of components) {
    const from = flow.add(component)
    flow.connect(`${from}.out`, `${flow.add('ChatOutput')}.input_value`)
  }
  return { flow: flow.toJSON(), components: createRegistry([...builtinComponents, ...components]) }
}

async function* words(...all: string[]): AsyncGenerator<string> {
  for (const word of all) yield word
}

async function read(stream: AsyncIterable<string>): Promise<{ pieces: string[]; error?: unknown }> {
  const pieces: string[] = []
  try {
    for await (const piece of stream) pieces.push(piece)
  } catch (error) {
    return { pieces, error }
  }
  return { pieces }
}

describe('textStream', () => {
  test('DR-75: yields the pieces as they arrive, to several readers, also after the end', async () => {
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const { flow, components } = flowOf(
      speaking('Slow', async function* () {
        yield 'one '
        await gate
        yield 'two'
      }),
    )
    const run = runFlow(flow, { components, sessionId: 's' })
    const first = run.textStream[Symbol.asyncIterator]()
    expect(await first.next()).toEqual({ done: false, value: 'one ' })
    const other = read(run.textStream)
    release()
    expect(await first.next()).toEqual({ done: false, value: 'two' })
    expect(await first.next()).toEqual({ done: true, value: undefined })
    expect((await other).pieces).toEqual(['one ', 'two'])
    const result = await run.result
    expect((await read(run.textStream)).pieces.join('')).toBe(result.text())
    // A reader may leave early.
    for await (const piece of run.textStream) {
      expect(piece).toBe('one ')
      break
    }
  })

  test('DR-75: yields the whole text at once without a stream, and nothing without text', async () => {
    const plain = flowOf(speaking('Plain', () => 'all of it'))
    const run = runFlow(plain.flow, { components: plain.components, sessionId: 's' })
    expect(await read(run.textStream)).toEqual({ pieces: ['all of it'] })
    const silent = flowOf(speaking('Silent', () => ''))
    const none = runFlow(silent.flow, { components: silent.components, sessionId: 's' })
    expect((await read(none.textStream)).pieces.join('')).toBe('')
  })

  test('DR-75: yields only the text of the result if several messages stream', async () => {
    const { flow, components } = flowOf(
      speaking('First', () => words('a1 ', 'a2')),
      speaking('Second', () => words('b1 ', 'b2')),
    )
    const run = runFlow(flow, { components, sessionId: 's' })
    const { pieces } = await read(run.textStream)
    expect([pieces.join(''), (await run.result).text()]).toEqual(['a1 a2', 'a1 a2'])
  })

  test('DR-75: pieces of a withdrawn message are not taken back, and the new text follows', async () => {
    const { flow, components } = flowOf(
      speaking('Retried', async function* (attempt) {
        yield `try ${attempt} `
        if (attempt === 1) throw new Error('cut off')
        yield 'done'
      }),
    )
    const run = runFlow(flow, { components, sessionId: 's' })
    expect(await read(run.textStream)).toEqual({ pieces: ['try 1 ', 'try 2 ', 'done'] })
  })

  test('DR-75: throws the error of the run after the pieces', async () => {
    const { flow, components } = flowOf(
      speaking('Failing', async function* () {
        yield 'half'
        throw new Error('the model is away')
      }),
    )
    const run = runFlow(flow, { components, sessionId: 's', retry: { attempts: 1 } })
    const { pieces, error } = await read(run.textStream)
    expect(pieces).toEqual(['half'])
    expect(String(error)).toContain('the model is away')
    const refused = runFlow({ data: {} }, { components })
    expect((await read(refused.textStream)).error).toMatchObject({ code: 'invalid_flow' })
  })

  test('DR-75: events name the vertex that sent them, and their JSON omits it', async () => {
    const { flow, components } = flowOf(speaking('Slow', () => words('x', 'y')))
    const seen: (readonly [string, string | undefined])[] = []
    for await (const event of runFlow(flow, { components, sessionId: 's' })) {
      if (event.event !== 'token' && event.event !== 'add_message') continue
      seen.push([event.event, event.vertexId])
      expect(JSON.stringify(event)).not.toContain('vertexId')
    }
    expect(seen.slice(0, 3)).toEqual([
      ['add_message', 'Slow-00001'],
      ['token', 'Slow-00001'],
      ['token', 'Slow-00001'],
    ])
    expect(seen.at(-1)).toEqual(['add_message', 'ChatOutput-00001'])
  })

  test('DR-75: jobs.textStream does the same, also in a process that only has the log', async () => {
    const { flow, components } = flowOf(speaking('Slow', () => words('one ', 'two')))
    const store = createMemoryJobStore()
    const first = createBuildJobs({ components, store })
    const { id } = await first.start({ flow, sessionId: 's', userId: 'ada', resumable: true })
    expect((await read(first.textStream(id))).pieces.join('')).toBe('one two')
    await first.close({ timeoutMs: 0 })
    const second = createBuildJobs({ components, store })
    closeLater(second)
    expect((await read(second.textStream(id, { userId: 'ada' }))).pieces.join('')).toBe('one two')
    expect((await read(second.textStream(id, { userId: 'bob' }))).error).toMatchObject({
      code: 'not_found',
    })
  })
})
