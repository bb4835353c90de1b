import { describe, expect, test } from 'vitest'
import { builtinComponents, embeddingModel } from '@x/flow-components'
import { languageModel, loop, parser, chatInput } from '@x/flow-engine/components'
import {
  checkFlow,
  createRegistry,
  defineComponent,
  field,
  formatHandle,
  formatRunResponse,
  output,
  parseHandle,
  runFlow,
  type Component,
} from '@x/flow-engine'
import type { ChatModel } from '@x/flow-engine'
import { collectEvents, createScriptedModel, flowBuilder } from '@x/flow-engine/testing'

const memoryHandle = { add: async () => undefined, list: async () => [] }

/** The wire form of one output of a single component. */
async function shown(component: Component, name: string, values: Record<string, unknown> = {}) {
  const flow = flowBuilder()
  const id = flow.add(component, { values, toolMode: name === 'component_as_tool' })
  const run = runFlow(flow.toJSON(), {
    components: createRegistry([component]),
    services: { models: createScriptedModel(['x']), environment: { MY_KEY: 'sk-very-own' } },
    outputType: 'debug',
  })
  const events = await collectEvents(run)
  const result = await run.result
  const end = events.find(({ event }) => event === 'end_vertex')
  const vertex = result.vertices.get(id)
  return {
    value: vertex?.outputs[name],
    wire: end?.event === 'end_vertex' ? end.data.build_data.data.outputs[name] : undefined,
    text: JSON.stringify([end?.data, formatRunResponse(result)]),
    error: result.error,
  }
}

function handing(types: readonly string[], make: () => unknown): Component {
  return defineComponent({
    type: 'Handing',
    inputs: {},
    outputs: { out: output.any({ types, run: make }) },
  })
}

describe('handles (CO-4)', () => {
  test('CO-4: a model is passed on by reference and never serialised as JSON', async () => {
    const values = { api_key: 'MY_KEY', provider: 'OpenAI' }
    const flow = flowBuilder()
    const source = flow.add(languageModel, { values })
    const sink = defineComponent({
      type: 'Sink',
      inputs: { model: field.model() },
      outputs: {
        out: output.message({ run: ({ model }) => `${typeof model?.stream} ${model?.name}` }),
      },
    })
    flow.add(sink, { id: 'Sink-1' })
    flow.connect(`${source}.model_output`, 'Sink-1.model')
    const run = runFlow(flow.toJSON(), {
      components: createRegistry([languageModel, sink]),
      services: { models: createScriptedModel([]), environment: { MY_KEY: 'sk-very-own' } },
      outputType: 'debug',
    })
    const events = await collectEvents(run)
    const result = await run.result
    expect(result.text('Sink-1')).toMatch(/^function /)
    const [end] = events.flatMap(({ event, data }) =>
      event === 'end_vertex' ? [data.build_data] : [],
    )
    expect(end?.data.outputs.model_output).toEqual({ message: '', type: 'unknown' })
    const everything = JSON.stringify([events.map(({ data }) => data), formatRunResponse(result)])
    expect(everything).not.toContain('sk-very-own')
  })

  test('CO-4: embeddings, memories and vector stores are serialised without details', async () => {
    const embeddings = await shown(embeddingModel, 'embeddings', { api_key: 'MY_KEY' })
    expect(embeddings.error).toBeUndefined()
    expect(embeddings.wire).toEqual({ message: '', type: 'unknown' })
    expect(embeddings.text).not.toContain('sk-very-own')
    for (const types of [['Memory'], ['Retriever'], ['VectorStore']]) {
      const { value, wire } = await shown(
        handing(types, () => memoryHandle),
        'out',
      )
      expect(value).toBe(memoryHandle)
      expect(wire).toEqual({ message: '', type: 'unknown' })
    }
  })

  test('CO-4: a list of tools shows only their names, descriptions and tags', async () => {
    const { value, wire, text } = await shown(parser, 'component_as_tool')
    expect(value).toMatchObject([{ name: 'parse_combined_text', call: expect.any(Function) }])
    expect(wire).toEqual({
      message: [
        {
          name: 'parse_combined_text',
          description: parser.description,
          tags: ['parse_combined_text'],
        },
      ],
      type: 'array',
    })
    expect(text).not.toContain('"parameters"')
  })

  test('CO-4: a model that is a class instance shows none of its fields', async () => {
    class OwnModel implements ChatModel {
      readonly name = 'own'
      readonly endpoint = 'https://inside.test'
      async *stream() {
        yield { text: 'x' }
      }
    }
    const { wire, text } = await shown(
      handing(['LanguageModel'], () => new OwnModel()),
      'out',
    )
    expect(wire).toEqual({ message: '', type: 'unknown' })
    expect(text).not.toContain('inside.test')
  })
})

describe('handles of edges (CO-12)', () => {
  test('CO-12: the handles of an edge are JSON with sorted keys, no blanks and œ for quotes', () => {
    const flow = flowBuilder()
    flow.add(chatInput, { id: 'ChatInput-a' })
    flow.add(parser, { id: 'ParserComponent-b' })
    flow.connect('ChatInput-a.message', 'ParserComponent-b.pattern')
    const [edge] = flow.toJSON().data?.edges ?? []
    expect(edge?.sourceHandle).toBe(
      '{œdataTypeœ:œChatInputœ,œidœ:œChatInput-aœ,œnameœ:œmessageœ,œoutput_typesœ:[œMessageœ]}',
    )
    expect(edge?.targetHandle).toBe(
      '{œfieldNameœ:œpatternœ,œidœ:œParserComponent-bœ,œinputTypesœ:[œMessageœ],œtypeœ:œstrœ}',
    )
    for (const text of [edge?.sourceHandle ?? '', edge?.targetHandle ?? '']) {
      expect(formatHandle(parseHandle(text))).toBe(text)
    }
  })

  test('CO-12: an edge back to a loop has a source handle with the accepted types', () => {
    const flow = flowBuilder()
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(parser, { id: 'ParserComponent-1' })
    flow.connect('LoopComponent-1.item', 'ParserComponent-1.input_data')
    flow.connect('ParserComponent-1.parsed_text', 'LoopComponent-1.item')
    const json = flow.toJSON()
    const back = json.data?.edges?.[1]
    expect(back?.targetHandle).toBe(
      '{œdataTypeœ:œLoopComponentœ,œidœ:œLoopComponent-1œ,œnameœ:œitemœ,œoutput_typesœ:[œDataœ,œMessageœ]}',
    )
    const components = createRegistry(builtinComponents)
    expect(checkFlow(json, { components })).toEqual([])
    const done = flowBuilder()
    done.add(loop, { id: 'LoopComponent-1' })
    done.add(parser, { id: 'ParserComponent-1' })
    done.connect('ParserComponent-1.parsed_text', 'LoopComponent-1.done')
    const problems = checkFlow(done.toJSON(), { components })
    expect(problems.map(({ code }) => code)).toEqual(['missing_field', 'missing_input'])
  })

  test('CO-12: input_types sets the accepted types: null takes only the type of the field, [] nothing, otherwise those listed', () => {
    const taking = defineComponent({
      type: 'Taking',
      inputs: {
        none: field.int(),
        closed: field.secret(),
        some: field.handle({ types: ['Data', 'DataFrame'] }),
      },
      outputs: { out: output.message({ run: () => '' }) },
    })
    const components = createRegistry([taking, chatInput])
    const codes = (name: string) => {
      const flow = flowBuilder()
      flow.add(chatInput, { id: 'ChatInput-1' })
      flow.add(taking, { id: 'Taking-1' })
      flow.connect('ChatInput-1.message', `Taking-1.${name}`)
      const json = flow.toJSON()
      const { template } = json.data?.nodes?.[1]?.data.node ?? {}
      const mismatched = checkFlow(json, { components }).map(({ code }) => code)
      return [template?.[name]?.input_types ?? null, mismatched]
    }
    expect(codes('none')).toEqual([null, ['type_mismatch']])
    expect(codes('closed')).toEqual([[], ['type_mismatch']])
    expect(codes('some')).toEqual([['Data', 'DataFrame'], ['type_mismatch']])
  })

  test('CO-12: every built-in field lists the types it accepts, and every output those it returns', () => {
    const values = new Set(
      'Message Data DataFrame LanguageModel Embeddings Tool Memory Retriever VectorStore AgentExecutor'.split(
        ' ',
      ),
    )
    for (const component of builtinComponents) {
      const node = createRegistry([component]).catalogue()
      const found = Object.values(node).flatMap((types) => Object.values(types))[0]
      for (const taken of Object.values(found?.template ?? {})) {
        const types = (taken as { input_types?: unknown } | undefined)?.input_types
        if (!Array.isArray(types)) continue
        expect(types.filter((type) => !values.has(String(type)))).toEqual([])
      }
      for (const { types } of found?.outputs ?? []) {
        expect(types?.length).toBeGreaterThan(0)
        expect(types?.filter((type) => !values.has(type))).toEqual([])
      }
    }
  })
})
