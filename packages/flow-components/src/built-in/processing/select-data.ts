import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { dataRows } from './data-rows.ts'

/** Returns one Data of a list by its index. */
export const selectData = defineComponent({
  type: 'SelectData',
  displayName: 'Select Data',
  description: 'Selects one Data from a list.',
  icon: 'prototypes',
  category: 'processing',
  module: 'lfx.components.processing.select_data.SelectDataComponent',
  legacy: true,
  replacement: ['processing.DataOperations'],
  inputs: {
    data_list: field.handle({ displayName: 'Data List', types: ['Data'], list: true }),
    data_index: field.int({
      displayName: 'Data Index',
      info: 'Index in the list, starting at 0.',
      default: 0,
      min: 0,
      max: 15,
      step: 1,
    }),
  },
  outputs: {
    selected_data: output.data({
      displayName: 'Selected Data',
      method: 'select_data',
      run({ data_list, data_index }, ctx) {
        const found = dataRows(data_list, '"Data List" (data_list)')[data_index]
        if (found === undefined) throw new RangeError('Selected index is out of range.')
        ctx.status(found)
        return found
      },
    }),
  },
})
