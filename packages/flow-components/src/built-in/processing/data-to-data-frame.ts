import { createDataFrame } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { dataRows } from './data-rows.ts'

/** Creates a table with one row per Data. */
export const dataToDataFrame = defineComponent({
  type: 'DataToDataFrame',
  displayName: 'Data → DataFrame',
  description: 'Creates a table from one or more Data.',
  icon: 'table',
  category: 'processing',
  module: 'lfx.components.processing.data_to_dataframe.DataToDataFrameComponent',
  legacy: true,
  replacement: ['processing.DataOperations', 'processing.TypeConverterComponent'],
  inputs: {
    data_list: field.handle({ displayName: 'Data or Data List', types: ['Data'], list: true }),
  },
  outputs: {
    dataframe: output.dataFrame({
      displayName: 'DataFrame',
      method: 'build_dataframe',
      run({ data_list }) {
        return createDataFrame(
          dataRows(data_list, '"Data or Data List" (data_list)').map(({ data }) => data),
        )
      },
    }),
  },
})
