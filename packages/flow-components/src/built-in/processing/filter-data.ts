import { createData } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { selectKeys } from './data-changes.ts'

/** Keeps selected keys of Data. */
export const filterData = defineComponent({
  type: 'FilterData',
  displayName: 'Filter Data',
  description: 'Keeps the listed keys of Data.',
  icon: 'filter',
  category: 'processing',
  module: 'lfx.components.processing.filter_data.FilterDataComponent',
  legacy: true,
  beta: true,
  replacement: ['processing.DataOperations'],
  inputs: {
    data: field.data({ displayName: 'Data', info: 'The Data to filter.' }),
    filter_criteria: field.text({
      displayName: 'Filter Criteria',
      info: 'Keys to keep.',
      list: true,
    }),
  },
  outputs: {
    filtered_data: output.data({
      displayName: 'Filtered Data',
      method: 'filter_data',
      run({ data, filter_criteria }) {
        const known = filter_criteria.filter((key) => Object.hasOwn(data?.data ?? {}, key))
        return createData(selectKeys(data?.data ?? {}, known))
      },
    }),
  },
})
