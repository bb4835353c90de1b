import { createDataFrame } from '../../../graph/values/data-frame.ts'
import type { Data } from '../../../graph/values/data.ts'
import type { ComponentContext } from '../../define/context.ts'
import type { Fields, Values } from '../../define/field.ts'
import { output, type Output } from '../../define/output.ts'

/**
 * Creates the two outputs of a vector store: search results as a list and as a table.
 * @param hasStatus whether the list is also shown as the status of its output
 */
export function searchOutputs<I extends Fields>(
  search: (inputs: Values<I>, ctx: ComponentContext) => Promise<Data[]>,
  { hasStatus = false } = {},
): { readonly search_results: Output<I>; readonly dataframe: Output<I> } {
  return {
    search_results: output.list({
      displayName: 'Search Results',
      method: 'search_documents',
      async run(inputs: Values<I>, ctx) {
        const found = await search(inputs, ctx)
        if (hasStatus) ctx.status(found)
        return found
      },
    }),
    dataframe: output.dataFrame({
      displayName: 'DataFrame',
      method: 'as_dataframe',
      run: async (inputs: Values<I>, ctx) =>
        createDataFrame((await search(inputs, ctx)).map(({ data }) => data)),
    }),
  }
}
