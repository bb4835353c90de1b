import { createData } from '../../../graph/values/data.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'

const KEY = 'notified: '
/** Maximum number of values under one key. */
const MAX_VALUES = 10_000

/** Stores a value under a key of the run for Listen. */
export const notify = defineComponent({
  type: 'Notify',
  displayName: 'Notify',
  description: 'Sends a value to the Listen components with the same key.',
  icon: 'Notify',
  category: 'flow_controls',
  module: 'lfx.components.flow_controls.notify.NotifyComponent',
  beta: true,
  sharedKey: { field: 'context_key', writes: 'result' },
  inputs: {
    context_key: field.string({ displayName: 'Context Key', required: true }),
    input_value: field.handle({
      displayName: 'Input Data',
      types: ['Data', 'Message', 'DataFrame'],
    }),
    append: field.bool({
      displayName: 'Append',
      info: 'Append to the values of the key instead of replacing them.',
      default: false,
    }),
  },
  outputs: {
    result: output.any({
      displayName: 'Data',
      method: 'notify_components',
      types: ['Data'],
      cache: false,
      run({ context_key, input_value, append }, ctx) {
        const value = input_value ?? createData({})
        const held = append ? [...listed(notified(ctx, context_key)), value].flat() : value
        if (Array.isArray(held) && held.length > MAX_VALUES) {
          throw new TypeError(
            `The key ${context_key} already has ${MAX_VALUES} values, which is the limit`,
          )
        }
        ctx.shared.set(KEY + context_key.trim(), held)
        ctx.status(held)
        return held
      },
    }),
  },
})

/** Returns the value of a key, a list after the first append; undefined if there is none. */
export function notified(ctx: ComponentContext, key: string): unknown {
  return ctx.shared.get(KEY + key.trim())
}

function listed(value: unknown): unknown[] {
  return value === undefined ? [] : [value]
}
