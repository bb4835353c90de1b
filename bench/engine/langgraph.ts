import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { step } from './flows.ts'

const peers = fileURLToPath(new URL('../engine/peers/', import.meta.url))

interface Graph {
  addNode(name: string, work: (state: { value: number }) => Promise<{ value: number }>): Graph
  addEdge(from: string, to: string): Graph
  compile(): { invoke(state: object, options: object): Promise<unknown> }
}

interface LangGraph {
  StateGraph: new (state: unknown) => Graph
  Annotation: { Root(spec: object): unknown; (): unknown }
  START: string
  END: string
}

/** The same chain as a graph of LangGraph; undefined unless `npm ci --legacy-peer-deps` was run in `peers/`. */
export async function langgraphChain(
  length: number,
): Promise<(() => Promise<unknown>) | undefined> {
  const entry = `${peers}node_modules/@langchain/langgraph/dist/index.js`
  if (!existsSync(entry)) {
    console.log(
      'langgraph is not installed: run `npm ci --legacy-peer-deps` in bench/engine/peers to compare',
    )
    return undefined
  }
  const module: unknown = await import(pathToFileURL(entry).href)
  const { StateGraph, Annotation, START, END } = module as LangGraph
  const graph = new StateGraph(Annotation.Root({ value: Annotation() }))
  for (let index = 0; index < length; index += 1) {
    graph.addNode(`n${index}`, async ({ value }) => ({ value: await step(value) }))
    graph.addEdge(index === 0 ? START : `n${index - 1}`, `n${index}`)
  }
  const app = graph.addEdge(`n${length - 1}`, END).compile()
  return () => app.invoke({ value: 0 }, { recursionLimit: length + 10 })
}
