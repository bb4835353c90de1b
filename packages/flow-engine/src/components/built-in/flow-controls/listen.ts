import { createData } from '../../../graph/values/data.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { notified } from './notify.ts'

/** Returns the value that Notify stored under a key of the run; an empty Data if there is none. */
export const listen = defineComponent({
  type: 'Listen',
  displayName: 'Listen',
  description: 'Receives the value from a Notify component with the same key.',
  icon: 'Radio',
  category: 'flow_controls',
  module: 'lfx.components.flow_controls.listen.ListenComponent',
  beta: true,
  sharedKey: { field: 'context_key', reads: 'notified' },
  inputs: {
    context_key: field.string({
      displayName: 'Context Key',
      required: true,
      inputTypes: ['Message'],
    }),
    notified: field.handle({ types: ['Data'], list: true, show: false, newer: true }),
  },
  outputs: {
    data: output.any({
      displayName: 'Data',
      method: 'listen_for_data',
      types: ['Data'],
      cache: false,
      run(inputs, ctx) {
        // A run that continues in another process only has the values from edges.
        const [last] = inputs.notified.slice(-1)
        const held = notified(ctx, inputs.context_key) ?? last ?? createData({})
        ctx.status(held)
        return held
      },
    }),
  },
})
