import { createDataFrame, type Output } from '@x/flow-engine'
import type { Data } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import type { Fields, Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'

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
