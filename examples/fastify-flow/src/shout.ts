import { defineComponent, field, output } from '@x/flow-engine'

/** A custom component, available in the editor's sidebar and to flows. */
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
