import type { Component } from '@x/flow-engine'
import { createMemoryBases, createMemoryServices } from '@x/flow-engine/memory'
import { createJsonQueries } from '@x/flow-components/node'
import { createScriptedModel, flowBuilder, type ScriptedModel } from '@x/flow-engine/testing'
import {
  createSystemRuntime,
  type ComponentServices,
  type Embedder,
  type Runtime,
} from '@x/flow-engine'

const embedder: Embedder = {
  embed: (texts) => Promise.resolve(texts.map((text) => [text.length, 1, 0])),
}

/** What a service outside answers that a component understands. */
export const ANSWERS: readonly string[] = [
  'NO',
  '{"matches": [], "results": [{"url": "http://a.example", "title": "a", "content": "x"}]}',
  '{"id": "a", "status": "completed", "text": "x", "host": "a.example", "data": {"embedding": [1]}}',
  '{"result": [{"id": 1, "score": 1, "payload": {"page_content": "x"}}], "organic_results": []}',
  '{"objects": [{"field": "x"}]}',
]

/** A model that answers everything at once, by tools where it has some. */
function createModel(answer: string): ScriptedModel {
  return createScriptedModel((request, index) => {
    const [tool] = request.tools ?? []
    if (tool === undefined || index > 1) return answer
    return { text: answer, toolCalls: [{ name: tool.name, args: answer }] }
  })
}

function echoFlow(): ReturnType<ReturnType<typeof flowBuilder>['toJSON']> {
  const flow = flowBuilder('echo')
  flow.connect(`${flow.add('ChatInput')}.message`, `${flow.add('ChatOutput')}.input_value`)
  return flow.toJSON()
}

/** Fields that take a model or an embedder, by an edge or a picker. */
export function modelsFor(component: Component, answer: string): Record<string, unknown> {
  const chatModel = createModel(answer)
  const entries = Object.entries(component.inputs).flatMap(
    ([name, { fieldKind, options }]): [string, unknown][] => {
      const takes = (type: string): boolean => options.types?.includes(type) === true
      const isPicker = fieldKind === 'picker'
      if (fieldKind === 'embeddings' || takes('Embeddings')) return [[name, embedder]]
      if (isPicker && options.modelType === 'embedding') {
        return [[name, component.outputs['embeddings'] === undefined ? embedder : 'm']]
      }
      return isPicker || fieldKind === 'model' || takes('LanguageModel') ? [[name, chatModel]] : []
    },
  )
  return Object.fromEntries(entries)
}

/** As the shipped server has them: an expression that never ends is stopped. */
export const jsonQueries = createJsonQueries({ timeoutMs: 500 })

/** Services of a host; each answer from outside is `answer`. */
export function createServices(answer: string): ComponentServices {
  const chatModel = createModel(answer)
  return {
    ...createMemoryServices({
      files: { 'file.txt': answer, 'file.json': answer, 'file.csv': answer },
      knowledge: { a: { model: 'm' } },
      flows: { echo: echoFlow() },
    }),
    memories: createMemoryBases(),
    jsonQueries,
    models: { chatModel: () => chatModel, embedder: () => embedder },
    async fetch() {
      // As with an answer from the network, others have a turn.
      await new Promise((resolve) => setImmediate(resolve))
      return new Response(answer, { headers: { 'content-type': contentTypeOf(answer) } })
    },
    finance: { get: () => Promise.resolve(answer) },
    sql: {
      connect: () =>
        Promise.resolve({
          query: () => Promise.resolve({ columns: ['a'], rows: [{ a: answer }] }),
          close: () => Promise.resolve(),
        }),
    },
  }
}

function contentTypeOf(answer: string): string {
  if (/^[[{]/.test(answer)) return 'application/json'
  return answer.startsWith('<') ? 'text/html' : 'text/plain'
}

/** A clock whose sleeps end at once, so that a component that asks again and again does not wait. */
export function createQuickRuntime(): Runtime {
  const runtime = createSystemRuntime()
  let slept = 0
  return {
    ...runtime,
    now: () => new Date(runtime.now().getTime() + slept),
    sleep: async (ms, signal) => {
      slept += Math.max(ms, 1)
      await new Promise((resolve) => setImmediate(resolve))
      signal?.throwIfAborted()
    },
  }
}
