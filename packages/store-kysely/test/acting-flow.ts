import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'

/** Writes a line `who vertex file-of-the-job` into its file when it starts, then takes its time. */
const actor = (who: string) =>
  defineComponent({
    type: 'Actor',
    inputs: {
      text: field.handle({ types: ['Message'] }),
      path: field.string({ default: '' }),
      ms: field.int({ default: 1 }),
    },
    outputs: {
      out: output.message({
        async run({ path, ms }, { vertexId }) {
          appendFileSync(path, `${who} ${vertexId}\n`)
          await delay(ms)
          return vertexId
        },
      }),
    },
  })

/** Asks, and writes the answer into the file. */
const asker = (who: string) =>
  defineComponent({
    type: 'Asker',
    inputs: { text: field.handle({ types: ['Message'] }), path: field.string({ default: '' }) },
    outputs: {
      out: output.message({
        async run({ path }, ctx) {
          const answer = await ctx.suspend<string>('Shall I?')
          await ctx.step('write', () => appendFileSync(path, `${who} answered ${answer}\n`))
          return answer
        },
      }),
    },
  })

export const actors = (who: string) => createRegistry([actor(who), asker(who)])

interface ActingOptions {
  readonly count: number
  readonly ms: number
  readonly path: string
  /** A question behind the last of them. */
  readonly asks?: boolean
}

/** So many actors in a row, each of which takes so many milliseconds. */
export function actingFlow({ count, ms, path, asks = false }: ActingOptions) {
  const flow = flowBuilder('acting')
  let before: string | undefined
  for (let n = 0; n < count; n += 1) {
    const id = flow.add(actor(''), { id: `Actor-${n}`, values: { path, ms } })
    if (before !== undefined) flow.connect(`${before}.out`, `${id}.text`)
    before = id
  }
  if (asks) {
    const id = flow.add(asker(''), { id: 'Asker-1', values: { path } })
    if (before !== undefined) flow.connect(`${before}.out`, `${id}.text`)
  }
  return flow.toJSON()
}
