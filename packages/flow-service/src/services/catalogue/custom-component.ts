import { defineComponent, field, output } from '@x/flow-engine'

const CODE = `import { defineComponent, field, output } from '@x/flow-engine'

export default defineComponent({
  type: 'CustomComponent',
  displayName: 'Custom Component',
  description: 'Use as a template to create your own component.',
  icon: 'code',
  inputs: {
    input_value: field.text({ displayName: 'Input Value', default: 'Hello, World!', toolMode: true }),
  },
  outputs: {
    output: output.data({
      displayName: 'Output',
      method: 'build_output',
      run: ({ input_value: value }) => ({ value }),
    }),
  },
})
`

/** The template of a new component, inserted by the editor for "New Custom Component". */
export const customComponent = defineComponent({
  type: 'CustomComponent',
  displayName: 'Custom Component',
  description: 'Use as a template to create your own component.',
  icon: 'code',
  category: 'custom_component',
  code: CODE,
  inputs: {
    input_value: field.text({
      displayName: 'Input Value',
      info: 'This is a custom component input.',
      default: 'Hello, World!',
      toolMode: true,
    }),
  },
  outputs: {
    output: output.data({
      displayName: 'Output',
      method: 'build_output',
      run: ({ input_value: value }) => ({ value }),
    }),
  },
})
