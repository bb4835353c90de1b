import { createData, errorText } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { parseCsvTable } from '@x/flow-engine/internal'
import { readSource } from './read-source.ts'

/** Reads a CSV file or text as one Data per row. */
export const csvToData = defineComponent({
  type: 'CSVtoData',
  displayName: 'Load CSV',
  description: 'Reads the rows of a CSV file or text.',
  icon: 'file-spreadsheet',
  category: 'data_source',
  module: 'lfx.components.data_source.csv_to_data.CSVToDataComponent',
  legacy: true,
  replacement: ['data.File'],
  inputs: {
    csv_file: field.file({ displayName: 'CSV File', extensions: ['csv'] }),
    csv_path: field.text({ displayName: 'CSV File Path', info: 'Name of a stored file.' }),
    csv_string: field.multiline({ displayName: 'CSV String' }),
    text_key: field.text({
      displayName: 'Text Key',
      info: 'Column that contains the text of a row.',
      default: 'text',
    }),
  },
  outputs: {
    data_list: output.list({
      displayName: 'Data List',
      method: 'load_csv_to_data',
      async run({ csv_file, csv_path, csv_string, text_key: textKey }, ctx) {
        const source = { files: csv_file, path: csv_path, text: csv_string, kind: 'CSV' } as const
        const text = await readSource(source, ctx)
        const { rows } = await parseCsvTable(text).catch((error: unknown) => {
          throw new TypeError(`CSV parsing error: ${errorText(error)}`, { cause: error })
        })
        const data = rows.map((row) => createData({ ...row }, { textKey }))
        ctx.status(data)
        return data
      },
    }),
  },
})
