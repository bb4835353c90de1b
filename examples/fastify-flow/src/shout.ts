import { defineComponent, field, output } from '@x/flow-engine/components'

/** A component of the host's own: in the editor's sidebar, and in every flow that names it. */
export const shout = defineComponent({
  type: 'Shout',
  displayName: 'Shout',
  description: 'Writes a message in capitals.',
  icon: 'megaphone',
  category: 'processing',
  inputs: { text: field.multiline({ displayName: 'Text', required: true }) },
  outputs: {
    result: output.message({ method: 'shout', run: ({ text }) => `${text.toUpperCase()}!` }),
  },
})
