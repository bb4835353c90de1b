import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { searchMemory } from './search-memory.ts'

const fields = {
  memory_base: field.dropdown({
    displayName: 'Memory Base',
    refresh: true,
    combobox: true,
    attributes: { required: true },
  }),
  search_query: field.text({ displayName: 'Search Query', toolMode: true }),
  top_k: field.int({ displayName: 'Top K Results', default: 5, advanced: true }),
  include_metadata: field.bool({
    displayName: 'Include Metadata',
    default: true,
    advanced: true,
  }),
  filter_by_session: field.bool({
    displayName: 'Filter by Session',
    default: true,
    advanced: true,
  }),
}

type MemoryInputs = Values<typeof fields>

/** Searches earlier messages of this flow. */
export const memoryBase = defineComponent({
  type: 'MemoryBase',
  displayName: 'Memory Base',
  description: 'Searches earlier messages for a query.',
  icon: 'brain',
  category: 'files_and_knowledge',
  module: 'lfx.components.files_and_knowledge.memory_retrieval.MemoryBaseComponent',
  inputs: fields,
  outputs: {
    retrieve_data: output.dataFrame({
      displayName: 'Results',
      method: 'retrieve_memory',
      run: (inputs, ctx) => find(inputs, ctx),
    }),
  },
})

async function find(inputs: MemoryInputs, ctx: ComponentContext) {
  const name = inputs.memory_base.trim()
  if (name === '') throw new TypeError('No Memory Base is selected.')
  const query = inputs.search_query.trim()
  if (query === '') return []
  if (inputs.filter_by_session && ctx.sessionId === '') {
    throw new TypeError(
      "A session_id is needed to search this session's memory. Turn off Filter by Session to search all.",
    )
  }
  const { userId, flowId } = ctx
  const scope = userId === undefined ? { flowId } : { userId, flowId }
  const base = (await ctx.services.memories?.open(name, scope)) ?? null
  if (base === null) throw new TypeError(`Memory Base '${name}' is not attached to this flow.`)
  const found = await searchMemory(
    base,
    {
      query,
      count: inputs.top_k,
      sessionId: inputs.filter_by_session ? ctx.sessionId : undefined,
    },
    ctx,
  )
  return found.map(({ content, score, metadata }) => ({
    content,
    _score: score,
    ...(inputs.include_metadata ? metadata : {}),
  }))
}
