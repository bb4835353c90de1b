import { isObject } from '@x/wire'
import { OutputMethodError } from '../../../errors.ts'
import { createData, isData, type Data } from '../../../graph/values/data.ts'
import { createDataFrame, isDataFrame } from '../../../graph/values/data-frame.ts'
import { isMessage } from '../../../graph/values/message.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'

const PASSES = 'passes'

/**
 * Emits the items of a list one by one and collects the values returned on the loop-back edge. Build
 * i emits item i; the build after the last item closes `item` and opens `done`. The engine runs the loop body
 * between builds.
 */
export const loop = defineComponent({
  type: 'LoopComponent',
  displayName: 'Loop',
  description:
    'Runs the components connected to Item for each row, then outputs all results at once.',
  icon: 'infinity',
  category: 'flow_controls',
  module: 'lfx.components.flow_controls.loop.LoopComponent',
  inputs: {
    data: field.handle({
      displayName: 'Inputs',
      info: 'The rows to iterate over.',
      types: ['DataFrame'],
    }),
  },
  outputs: {
    item: output.data({
      displayName: 'Item',
      method: 'item_output',
      allowsLoop: true,
      loopTypes: ['Message'],
      groupOutputs: true,
      run: (_inputs, ctx) => passesOf(ctx).current ?? createData({ text: '' }),
    }),
    done: output.dataFrame({
      displayName: 'Done',
      method: 'done_output',
      groupOutputs: true,
      run(_inputs, ctx) {
        const { current, collected } = passesOf(ctx)
        return createDataFrame(current === null ? collected.map(({ data }) => data) : [])
      },
    }),
  },
  prepare(inputs, ctx) {
    const passes = nextPass(inputs, ctx)
    ctx.state.set(PASSES, passes)
    if (passes.current === null) {
      ctx.stop('item')
      ctx.start('done')
    } else {
      ctx.stop('done')
    }
  },
})

interface Passes {
  readonly items: readonly Data[]
  /** Passes run concurrently: all returned values arrive with the last build. */
  readonly together: boolean
  /** Number of items emitted, including the current one. */
  given: number
  /** Null once all items have been emitted. */
  current: Data | null
  readonly collected: Data[]
}

function nextPass(inputs: { readonly data: unknown }, ctx: ComponentContext): Passes {
  if (!ctx.state.has(PASSES)) {
    const items = itemsOf(inputs.data)
    const together = ctx.expectPasses(items.length) > 1
    return { items, together, given: 1, current: items[0] ?? null, collected: [] }
  }
  const passes = passesOf(ctx)
  const value = feedback(inputs)
  for (const answer of passes.together && Array.isArray(value) ? value : [value]) {
    const item = itemOf(answer)
    if (item !== null) passes.collected.push(item)
  }
  passes.current = passes.items[passes.given] ?? null
  passes.given += 1
  return passes
}

function passesOf(ctx: ComponentContext): Passes {
  return ctx.state.get(PASSES) as Passes
}

/** The loop-back value has the output's name, which is not a declared input. */
function feedback(inputs: object): unknown {
  return Reflect.get(inputs, 'item')
}

function itemsOf(data: unknown): readonly Data[] {
  if (isDataFrame(data)) return data.rows.map((row) => createData(row))
  const items = (Array.isArray(data) ? data : [data]).map((item) =>
    isData(item) || isMessage(item) ? itemOf(item) : null,
  )
  if (!items.every((item) => item !== null)) {
    const error = new OutputMethodError(
      "The 'data' input must be a DataFrame, a list of Data/Message objects, or a single Data/Message object.",
    )
    // Thrown before any output is evaluated; `item` is the first output that needs the rows.
    error.method = 'item_output'
    throw error
  }
  return items
}

function itemOf(value: unknown): Data | null {
  if (value === null || value === undefined) return null
  if (isData(value)) return value
  if (isMessage(value))
    return createData({ text: typeof value.text === 'string' ? value.text : '' })
  if (isDataFrame(value)) return createData({ results: value.rows })
  if (isObject(value)) return createData(value)
  return createData({ text: value })
}
