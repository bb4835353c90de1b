import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { step, tokens, TOKENS } from './flows.ts'

const peers = fileURLToPath(new URL('../engine/peers/', import.meta.url))

type Write = (chunk: unknown) => void

interface Graph {
  addNode(
    name: string,
    work: (state: { value: number }, config: { writer?: Write }) => Promise<{ value: number }>,
  ): Graph
  addEdge(from: string, to: string): Graph
  compile(): {
    invoke(state: object, options: object): Promise<unknown>
    stream(state: object, options: object): Promise<AsyncIterable<unknown>>
  }
}

interface LangGraph {
  StateGraph: new (state: unknown) => Graph
  Annotation: { Root(spec: object): unknown; (): unknown }
  START: string
  END: string
}

/** The cases of LangGraph. */
export interface LangGraphCases {
  readonly chain: () => Promise<unknown>
  /** One reader of all tokens. */
  readonly read: () => Promise<unknown>
}

/**
 * The same chain and the same tokens as graphs of LangGraph; undefined unless
 * `npm ci --legacy-peer-deps` was run in `peers/`.
 */
export async function langgraph(length: number): Promise<LangGraphCases | undefined> {
  const entry = `${peers}node_modules/@langchain/langgraph/dist/index.js`
  if (!existsSync(entry)) return undefined
  const module: unknown = await import(pathToFileURL(entry).href)
  const { StateGraph, Annotation, START, END } = module as LangGraph
  const graph = (): Graph => new StateGraph(Annotation.Root({ value: Annotation() }))

  const chain = graph()
  for (let index = 0; index < length; index += 1) {
    chain.addNode(`n${index}`, async ({ value }) => ({ value: await step(value) }))
    chain.addEdge(index === 0 ? START : `n${index - 1}`, `n${index}`)
  }
  const chained = chain.addEdge(`n${length - 1}`, END).compile()

  const talk = graph().addNode('talker', async ({ value }, { writer }) => {
    for await (const token of tokens()) writer?.(token)
    return { value }
  })
  const talking = talk.addEdge(START, 'talker').addEdge('talker', END).compile()
  return {
    chain: () => chained.invoke({ value: 0 }, { recursionLimit: length + 10 }),
    async read() {
      let read = 0
      const stream = await talking.stream({ value: 0 }, { streamMode: 'custom' })
      for await (const token of stream) if (token === 'token ') read += 1
      if (read < TOKENS) throw new Error('Tokens are missing')
    },
  }
}
