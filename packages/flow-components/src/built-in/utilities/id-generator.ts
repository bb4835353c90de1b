import { createSystemRuntime } from '@x/wire'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'

/** Returns the id in its field, or a new one if the field is empty. */
export const idGenerator = defineComponent({
  type: 'IDGenerator',
  displayName: 'ID Generator',
  description: 'Returns a unique id.',
  icon: 'fingerprint',
  category: 'utilities',
  module: 'lfx.components.utilities.id_generator.IDGeneratorComponent',
  legacy: true,
  inputs: {
    unique_id: field.text({
      displayName: 'Value',
      info: 'The id; refresh to create a new one.',
      toolMode: true,
      attributes: { refresh_button: true },
    }),
  },
  outputs: {
    id: output.message({
      displayName: 'ID',
      method: 'generate_id',
      run({ unique_id }, ctx) {
        const id = unique_id === '' ? ctx.runtime.uuid() : unique_id
        ctx.status(id)
        return id
      },
    }),
  },
  refresh(template, name) {
    if (name === 'unique_id' && template.unique_id !== undefined) {
      template.unique_id.value = createSystemRuntime().uuid()
    }
  },
})
