import { loop } from '../../src/components/built-in/flow-controls/loop.ts'
import {
  createMessage,
  defineComponent,
  field,
  output,
  type Component,
  type FlowJson,
} from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { given, join, textOf, words } from './dependencies.ts'

/** A component that works on each text until the test lets it go. */
export function gated(options: { deaf?: boolean } = {}) {
  const started: string[] = []
  const stopped: string[] = []
  const gates = new Map<string, PromiseWithResolvers<string>>()
  const waiting: { count: number; resolve: () => void }[] = []
  const component = defineComponent({
    type: 'Gated',
    displayName: 'Gated one',
    inputs: { text: field.handle({ types: ['Data', 'Message'] }) },
    outputs: {
      out: output.message({
        run: async ({ text }, ctx) => {
          const name = textOf(text)
          const seen = Number(ctx.state.get('seen') ?? 0) + 1
          ctx.state.set('seen', seen)
          const gate = withResolvers<string>()
          gates.set(name, gate)
          started.push(name)
          for (const { resolve } of waiting.filter(({ count }) => count <= started.length))
            resolve()
          ctx.signal.addEventListener('abort', () => {
            stopped.push(name)
            if (options.deaf !== true) gate.reject(ctx.signal.reason as Error)
          })
          const answer = await gate.promise
          await ctx.sendMessage(createMessage(`said ${name}`))
          return `${answer}${seen}`
        },
      }),
    },
  })
  return {
    component,
    started,
    stopped,
    /** Resolves when so many have started. */
    begun: (count: number) =>
      new Promise<void>((resolve) => {
        if (started.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    open: (name: string) => given(gates.get(name)).resolve(name),
    fail: (name: string) => given(gates.get(name)).reject(new RangeError(`no ${name}`)),
  }
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (reason: Error) => void
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: (value: T) => void = () => undefined
  let reject: (reason: Error) => void = () => undefined
  const promise = new Promise<T>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}

/** Words, one by one through a body, and joined behind the loop. */
export function looped(body: Component, text: string, more: { frozen?: boolean } = {}): FlowJson {
  const flow = flowBuilder()
  flow.add(words, { id: 'Words-1', values: { text } })
  flow.add(loop, { id: 'LoopComponent-1', ...more })
  flow.add(body, { id: 'Body-1' })
  flow.add(join, { id: 'Join-after' })
  const input = body === join ? 'texts' : 'text'
  return flow
    .connect('Words-1.rows', 'LoopComponent-1.data')
    .connect('LoopComponent-1.item', `Body-1.${input}`)
    .connect('Body-1.out', 'LoopComponent-1.item')
    .connect('LoopComponent-1.done', 'Join-after.texts')
    .toJSON()
}

/** Some turns of the event loop, for what must not happen. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => void setImmediate(resolve))
}
