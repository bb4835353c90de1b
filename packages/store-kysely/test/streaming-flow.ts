import { setTimeout as delay } from 'node:timers/promises'
import { createMessage, createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { builtinComponents } from '@x/flow-components'
import { flowBuilder } from '@x/flow-engine/testing'

/** Runs once in the life of a resumable job: its checkpoint stands when the talker runs. */
const opener = defineComponent({
  type: 'Opener',
  inputs: {},
  outputs: { out: output.message({ run: () => 'opened' }) },
})

/** Says `words` words, one each few milliseconds. */
const talker = defineComponent({
  type: 'Talker',
  inputs: { text: field.handle({ types: ['Message'] }), words: field.int({ default: 10 }) },
  outputs: {
    out: output.message({
      run: ({ words }, { signal }) =>
        createMessage(
          (async function* () {
            for (let n = 0; n < words; n += 1) {
              await delay(2, undefined, { signal })
              yield `w${n} `
            }
          })(),
        ),
    }),
  },
})

export const components = createRegistry([...builtinComponents, opener, talker])

/** A flow that streams so many words to its chat output. */
export function streamingFlow(words: number) {
  const flow = flowBuilder('streaming')
  const first = flow.add(opener)
  const second = flow.add(talker, { values: { words } })
  const last = flow.add('ChatOutput')
  return flow
    .connect(`${first}.out`, `${second}.text`)
    .connect(`${second}.out`, `${last}.input_value`)
    .toJSON()
}
