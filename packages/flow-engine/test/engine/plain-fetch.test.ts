import { expect, test } from 'vitest'
import { createRegistry, defineComponent, output, runFlow } from '@x/flow-engine'
import { createOpenAiModel } from '@x/flow-engine/models'
import { createCassette, flowBuilder } from '@x/flow-engine/testing'

/** As strict as the platform's own: it must not be called as a method of some object. */
function strict(answer: () => Response): typeof fetch {
  return async function called(this: unknown) {
    if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation')
    return answer()
  }
}

test('DR-24: a fetch is never called as a method of the options object it came from', async () => {
  const page = strict(() => new Response('page'))
  const reads = defineComponent({
    type: 'Reads',
    inputs: {},
    outputs: {
      out: output.message({
        async run(_inputs, ctx) {
          const { fetch: send } = ctx.services
          return (await send?.('https://host.example'))?.text() ?? ''
        },
      }),
    },
  })
  const flow = flowBuilder()
  flow.add(reads, { id: 'Reads-1' })
  const result = await runFlow(flow.toJSON(), {
    components: createRegistry([reads]),
    services: { fetch: page },
    outputType: 'debug',
    hooks: { onCallStart: () => undefined },
  }).result
  expect(result.text('Reads-1')).toBe('page')

  const chat = strict(() =>
    Response.json({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] }),
  )
  const model = createOpenAiModel({ model: 'm', apiKey: 'k', fetch: chat })
  const request = {
    messages: [{ role: 'user' as const, content: 'x' }],
    stream: false,
    signal: new AbortController().signal,
  }
  const chunks: unknown[] = []
  for await (const chunk of model.stream(request)) chunks.push(chunk)
  expect(chunks[0]).toEqual({ text: 'hi' })
  const tape = createCassette({ mode: 'record' })
  expect(await (await tape.fetch(page)('https://host.example')).text()).toBe('page')
})
