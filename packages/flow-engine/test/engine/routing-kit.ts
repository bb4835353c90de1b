import { defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder, type FlowBuilder } from '@x/flow-engine/testing'
import { textOf } from './dependencies.ts'

/** Takes one of its outputs, by `take`; stops the other, or excludes it. */
export const gate = defineComponent({
  type: 'Gate',
  inputs: {
    texts: field.handle({ types: ['Message', 'Data'], list: true }),
    take: field.text({ default: 't' }),
    how: field.text({ default: 'stop' }),
  },
  outputs: {
    t: output.message({ run: ({ texts }, ctx) => `${ctx.vertexId}t${listed(texts)}` }),
    f: output.message({ run: ({ texts }, ctx) => `${ctx.vertexId}f${listed(texts)}` }),
  },
  prepare({ take, how }, ctx) {
    for (const name of ['t', 'f']) {
      if (name === take) continue
      if (how === 'exclude') ctx.exclude(name)
      else ctx.stop(name)
    }
  },
})

/** Names itself and what it got. */
export const step = defineComponent({
  type: 'Step',
  inputs: { texts: field.handle({ types: ['Message', 'Data'], list: true }) },
  outputs: {
    out: output.message({ run: ({ texts }, ctx) => `${ctx.vertexId}${listed(texts)}` }),
  },
})

function listed(texts: readonly unknown[]): string {
  return texts.length === 0 ? '' : `(${texts.map(textOf).join(' ')})`
}

export const routing = [gate, step]

/**
 * The flow of a drawing such as `I>R R.t>A R.f>B`. Names that begin with R or Q are routers.
 * @param takes what each router takes, default `t`
 */
export function drawn(
  drawing: string,
  takes: Readonly<Record<string, string>> = {},
  how = 'stop',
): FlowBuilder {
  const flow = flowBuilder()
  const edges = drawing.split(' ').map((arrow) => arrow.split('>') as [string, string])
  const names = new Set(edges.flat().map((end) => end.split('.')[0] ?? ''))
  for (const id of names) {
    if (isRouter(id)) flow.add(gate, { id, values: { take: takes[id] ?? 't', how } })
    else flow.add(step, { id })
  }
  for (const [from, to] of edges)
    flow.connect(from.includes('.') ? from : `${from}.out`, `${to}.texts`)
  return flow
}

export const isRouter = (id: string): boolean => id.startsWith('R') || id.startsWith('Q')
