/** Compile-only: the inputs of a component are typed from their declarations (FE-40). */
import { createMessage, toText } from '@x/flow-engine'
import { defineComponent, field, output } from '@x/flow-engine'
import type { Message } from '../src/graph/values/message.ts'
import type { ChatModel, Tool } from '@x/flow-engine'

defineComponent({
  type: 'Shout',
  inputs: {
    text: field.message({ displayName: 'Text', required: true, toolMode: true }),
    times: field.int({ default: 1, advanced: true }),
  },
  outputs: {
    result: output.message({
      run: ({ text, times }) => createMessage(toText(text).toUpperCase().repeat(times)),
    }),
  },
})

defineComponent({
  type: 'Typed',
  inputs: {
    maybe: field.message(),
    names: field.text({ list: true }),
    count: field.int(),
    key: field.secret(),
    model: field.model(),
    tools: field.tools(),
  },
  outputs: {
    out: output.data({
      run(inputs, ctx) {
        inputs.maybe satisfies Message | null
        inputs.names satisfies string[]
        inputs.count satisfies number | null
        inputs.key satisfies string | null
        inputs.model satisfies ChatModel | null
        inputs.tools satisfies Tool[]
        ctx.signal satisfies AbortSignal
        // @ts-expect-error -- there is no such input
        void inputs.other
        // @ts-expect-error -- a message may be missing unless it is required
        void inputs.maybe.text
        return { ok: true }
      },
    }),
    // @ts-expect-error -- a message output gives no number
    wrong: output.message({ run: () => 5 }),
  },
  prepare(inputs) {
    inputs.names satisfies string[]
  },
})
