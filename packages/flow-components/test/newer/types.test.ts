import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { defineComponent } from '@x/flow-engine'
import { createRegistry } from '@x/flow-engine'
import { typeTable } from '../../../flow-engine/src/components/registry/type-table.ts'
import table from '../../../flow-engine/src/components/registry/type-table.json' with { type: 'json' }
import { checkFlow, runFlow, type FlowJson, type FlowNode } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'

const components = createRegistry(builtinComponents)
const node = (type: string, metadata: object = {}): FlowNode => ({
  id: 'n-1',
  data: { type, node: { template: {}, metadata: { ...metadata } } },
})
const typeOf = (type: string, metadata: object = {}): string | undefined =>
  components.resolve(node(type, metadata))?.type

interface Row {
  readonly ext?: readonly string[]
  readonly names?: readonly string[]
  readonly modules?: readonly string[]
}
const rows = Object.entries<Row & { readonly why?: string }>(table.types)

describe('the component of a node (NX-1 to NX-6)', () => {
  test('NX-1, NX-51: every name of every type resolves to its component, in each form', () => {
    const wrong: unknown[] = []
    for (const [type, { ext = [], names = [], modules = [] }] of rows) {
      const expected = components.get(type)?.type
      const given = [
        ...ext.flatMap((id) =>
          ['official', 'extra', 'official-pre-a'].map((s) => `ext:${id}@${s}`),
        ),
        ...names.filter((name) => !Object.hasOwn(table.types, name)),
        ...modules.filter((module) => typeTable.names.has(module.split('.').at(-1) ?? '')),
      ]
      for (const name of given) if (typeOf(name) !== expected) wrong.push([type, name])
      for (const module of modules) {
        if (typeOf('CustomComponent', { module }) !== expected) wrong.push([type, module])
      }
    }
    expect(wrong).toEqual([])
  })

  test('NX-1: the forms used in files of 1.8 to 1.13 are recognised', () => {
    expect(typeOf('ext:arxiv:ArXivComponent@official')).toBe('ArXivComponent')
    expect(typeOf('lfx.components.openai.openai_chat_model.OpenAIModelComponent')).toBe(
      'OpenAIModel',
    )
    expect(typeOf('ext:arxiv:ArXivComponent@Official')).toBeUndefined()
    expect(typeOf('ext:arxiv:ArXivComponent')).toBeUndefined()
    expect(typeOf('ext:nobody:ArXivComponent@official')).toBeUndefined()
    expect(typeOf('__proto__')).toBeUndefined()
    expect(typeOf('constructor')).toBeUndefined()
  })

  test('NX-1: the type of the node takes precedence over a module of another component', () => {
    const { modules } = table.types.Agent as Row
    expect(typeOf('ChatInput', { module: modules?.[0] })).toBe('ChatInput')
  })

  test('NX-2: names added by a host take precedence over built-in ones; its component can take a refused type', () => {
    const mine = defineComponent({ type: 'Mine', inputs: {}, outputs: {} })
    const transcripts = defineComponent({ type: 'YouTubeTranscripts', inputs: {}, outputs: {} })
    const registry = createRegistry([...builtinComponents, mine, transcripts], {
      migrations: { 'acme:OldClass': 'Mine', AgentComponent: 'Mine', 'acme.parts.Thing': 'Mine' },
    })
    const found = (type: string, metadata = {}): string | undefined =>
      registry.resolve(node(type, metadata))?.type
    expect(found('ext:acme:OldClass@official')).toBe('Mine')
    expect(found('AgentComponent')).toBe('Mine')
    expect(found('Whatever', { module: 'acme.parts.Thing' })).toBe('Mine')
    expect(found('ext:youtube:YouTubeTranscriptsComponent@official')).toBe('YouTubeTranscripts')
    expect(found('Agent')).toBe('Agent')
  })
})

function twoTypes(): FlowJson {
  const flow = flowBuilder()
  const [input, answer] = [flow.add('ChatInput'), flow.add('ChatOutput')]
  flow.add('YouTubeTranscripts', { id: 'YouTubeTranscripts-fnDOA' })
  flow.add('ext:slack:SlackSearchComponent@official', { id: 'Slack-bbbbb' })
  flow.add('ext:slack:SlackSearchComponent@official', { id: 'Slack-ccccc' })
  flow.connect(`${input}.message`, `${answer}.input_value`)
  return flow.toJSON()
}

describe('missing types (NX-7, NX-8)', () => {
  const text =
    'Unknown component types: YouTubeTranscripts (YouTubeTranscripts-fnDOA: no public API for ' +
    'transcripts; its own Python runs with SERVICE_PYTHON=true and the wheels of ' +
    'youtube-transcript-api and defusedxml), ext:slack:SlackSearchComponent@official ' +
    '(Slack-bbbbb, Slack-ccccc)'

  test('one text names every type, its nodes and the reason; each node has a problem', () => {
    const problems = checkFlow(twoTypes(), { components })
    expect(problems.map(({ code, nodeId }) => [code, nodeId])).toEqual([
      ['unknown_component', 'YouTubeTranscripts-fnDOA'],
      ['unknown_component', 'Slack-bbbbb'],
      ['unknown_component', 'Slack-ccccc'],
    ])
    expect(new Set(problems.map(({ message }) => message))).toEqual(new Set([text]))
  })

  test('a run is refused with that text', async () => {
    await expect(runFlow(twoTypes(), { components }).result).rejects.toThrow(text)
  })

  test('a node with custom code is reported as custom code being switched off', () => {
    const flow = flowBuilder()
    flow.add('Shout', { id: 'Shout-1' })
    const json = flow.toJSON()
    const [first] = json.data?.nodes ?? []
    if (first !== undefined) {
      first.data.node.template.code = { value: 'export default defineComponent({})' }
    }
    expect(checkFlow(json, { components })[0]?.message).toContain(
      'Unknown component types: Shout (Shout-1: custom code is switched off',
    )
  })

  test.each(['Tally', 'RemixDocumentation'])(
    'NX-8: the error for %s with Python explains how to run it',
    (type) => {
      const flow = flowBuilder('Flow', { components: builtinComponents })
      flow.add(type, { id: 'node-1' })
      const json = flow.toJSON()
      const [first] = json.data?.nodes ?? []
      if (first !== undefined) {
        first.data.node.template.code = { value: 'class Own(Component):\n    name = "Own"\n' }
      }
      expect(checkFlow(json, { components })[0]?.message).toBe(
        `Unknown component types: ${type} (node-1: ${type} has Python of its own, which the operator of the server runs with SERVICE_PYTHON=true)`,
      )
    },
  )

  test('the text stays short with many long names', () => {
    const flow = flowBuilder()
    for (let at = 0; at < 300; at += 1) flow.add(`T${at}${'x'.repeat(5000)}`)
    const [problem] = checkFlow(flow.toJSON(), { components })
    expect(problem?.message.length).toBeLessThan(30_000)
    expect(problem?.message).toContain('and 250 more')
  })
})
