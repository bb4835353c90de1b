import { cellOf, type Row } from '@x/flow-engine/internal'
import type { DataFrame } from '@x/flow-engine'
import { toDataFrame } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { formatPlace } from '@x/flow-engine/internal'
import {
  fillTemplate,
  parseTemplate,
  type WorkCounter,
  type TemplatePart,
} from '@x/flow-engine/internal'

/** Formats each row of a table with a template. */
export const parseDataFrame = defineComponent({
  type: 'ParseDataFrame',
  displayName: 'Parse DataFrame',
  description: 'Formats the rows of a table as text with a template.',
  icon: 'braces',
  category: 'processing',
  module: 'lfx.components.processing.parse_dataframe.ParseDataFrameComponent',
  legacy: true,
  replacement: ['processing.DataFrameOperations', 'processing.TypeConverterComponent'],
  inputs: {
    df: field.handle({ displayName: 'DataFrame', types: ['DataFrame'] }),
    template: field.multiline({ displayName: 'Template', default: '{text}' }),
    sep: field.string({ displayName: 'Separator', default: '\n', advanced: true }),
  },
  outputs: {
    text: output.message({
      displayName: 'Text',
      method: 'parse_data',
      async run({ df, template, sep }, ctx) {
        const separator = sep.replaceAll('\\n', '\n')
        const text = df === null ? '' : await write(toDataFrame(df), template, separator)
        ctx.status(text)
        return text
      },
    }),
  },
})

/** @throws TypeError for a placeholder without a column */
async function write(
  { rows, columns }: DataFrame,
  template: string,
  separator: string,
): Promise<string> {
  const parts = parseTemplate(template)
  const known = new Set(columns)
  for (const { name } of parts) {
    if (name === undefined || known.has(name)) continue
    throw new TypeError(
      `The table has no column '${name}'; its columns are: ${columns.slice(0, 50).join(', ')}`,
    )
  }
  const fill = (part: TemplatePart, row: Row, spend: WorkCounter): string =>
    part.name === undefined ? '' : formatPlace(cellOf(row, part.name), part, spend)
  return (await fillTemplate(parts, rows, fill, separator)).join(separator)
}
