import {
  createNode,
  createRegistry,
  checkFlow,
  runFlow,
  type FlowJson,
  type FlowNode,
} from '@x/flow-engine'
import { chatInput, chatOutput, textInput } from '@x/flow-engine/components'
import { createScriptedModel, flowBuilder } from '@x/flow-engine/testing'
import { customComponent } from '../../flow-service/src/services/catalogue/custom-component.ts'
import { builtinComponents } from '@x/flow-components'
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format } from 'prettier'
import { describe, expect, test } from 'vitest'
import { ejectFlow } from '../src/code/eject-flow.ts'
import { formatFlow } from '../src/code/format-flow.ts'
import { changed } from './change-flow.ts'
import { supportFlow } from './flows.ts'
import { inFolder, runCli } from './run-cli.ts'

const MODULES = new URL('../../../node_modules', import.meta.url).pathname
const PYTHON = `from lfx.custom import Component\n\n\nclass ToneComponent(Component):\n    display_name = "Tone"\n`
const STYLE = { semi: false, singleQuote: true, printWidth: 100, parser: 'typescript' } as const

/** A folder with a flow, from which the packages of this workspace are found. */
async function withFlow(flow: unknown, use: (cwd: string) => Promise<void>): Promise<void> {
  await inFolder(async (cwd) => {
    await symlink(MODULES, join(cwd, 'node_modules'))
    await mkdir(join(cwd, 'flows'))
    await writeFile(join(cwd, '.prettierrc'), JSON.stringify(STYLE))
    await writeFile(join(cwd, 'flows/support.json'), JSON.stringify(flow))
    await use(cwd)
  })
}

const read = (cwd: string, path: string): Promise<string> => readFile(join(cwd, path), 'utf8')

/** The flow that a folder's source builds, without its layout. */
async function withoutLayout(cwd: string): Promise<FlowJson> {
  const { code, err } = await runCli(['build', 'flows/support.flow.ts', '--out', 'plain/x.json'], {
    cwd,
  })
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(await read(cwd, 'plain/x.json')) as FlowJson
}

/** A note, a moved node and a value that only the editor shows. */
function drawnFlow(): FlowJson {
  const flow = changed({ 'Prompt-main.tone': 'calm' })
  const nodes = flow.data?.nodes ?? []
  Object.assign(nodes[0] ?? {}, { position: { x: 12, y: -7 } })
  Object.assign(nodes[1]?.data.node.template['template'] ?? {}, { info: 'Seen by one editor.' })
  nodes.splice(1, 0, {
    id: 'note-1',
    type: 'noteNode',
    data: { id: 'note-1', type: 'note', node: {} },
  } as never)
  return flow
}

describe('eject and build', () => {
  test('FC-30 FC-31 FC-32 a source of one screen and a layout build the canonical form again', async () => {
    await withFlow(drawnFlow(), async (cwd) => {
      const made = await runCli(['eject', 'flows/support.json'], { cwd })
      expect(made).toEqual({
        code: 0,
        out: 'eject: 1 flow, 2 files written, 0 unchanged\n',
        err: '',
      })
      const source = await read(cwd, 'flows/support.flow.ts')
      expect(source).toContain(`export const promptTemplate = flow.add(c.promptTemplate, {`)
      expect(source).toContain(
        `flow.connect(chatInput.outputs.message, promptTemplate.input('question'))`,
      )
      expect(source).toContain(`fields: { tone: 'calm', sign: 'Your team' },`)
      expect(source.split('\n').length).toBeLessThan(40)
      expect(await runCli(['build', 'flows', '--check'], { cwd })).toMatchObject({ code: 1 })
      expect((await runCli(['build', 'flows'], { cwd })).code).toBe(0)
      expect(await read(cwd, 'flows/support.json')).toBe(formatFlow(drawnFlow()))
      expect(await runCli(['build', 'flows', '--check'], { cwd })).toMatchObject({ code: 0 })
      const again = await runCli(['eject', 'flows/support.json'], { cwd })
      expect(again.out).toBe('eject: 1 flow, 0 files written, 2 unchanged\n')
    })
  })

  test('FC-30 a file that was edited is replaced with --force only', async () => {
    await withFlow(supportFlow(), async (cwd) => {
      await writeFile(join(cwd, 'flows/support.flow.ts'), '// mine\n')
      const refused = await runCli(['eject', 'flows/support.json'], { cwd })
      expect(refused).toMatchObject({
        code: 1,
        err: 'flows/support.flow.ts exists and differs. Use --force to replace it\n',
      })
      expect(await readdir(join(cwd, 'flows'))).toEqual(['support.flow.ts', 'support.json'])
      expect((await runCli(['eject', 'flows', '--force'], { cwd })).code).toBe(0)
    })
  })

  test('FC-31 FC-34 nodes that are added, renamed and removed in the source find places', async () => {
    await withFlow(drawnFlow(), async (cwd) => {
      await runCli(['eject', 'flows/support.json'], { cwd })
      const path = join(cwd, 'flows/support.flow.ts')
      const source = await read(cwd, 'flows/support.flow.ts')
      const edited = source
        .replace(`tone: 'calm'`, `tone: 'curt'`)
        .replace(/ChatOutput-out/g, 'ChatOutput-renamed')
        .replace(
          'export default flow',
          `const more = flow.add(c.textInput, { id: 'TextInput-new', values: { input_value: 'now' } })\n` +
            `flow.connect(more.outputs.text, promptTemplate.input('sign'))\n\nexport default flow`,
        )
      expect(edited).not.toBe(source)
      await writeFile(path, edited)
      expect((await runCli(['build', 'flows'], { cwd })).err).toBe('')
      const { data } = JSON.parse(await read(cwd, 'flows/support.json')) as FlowJson
      const places = (data?.nodes ?? []).map(({ id, position }) => [id, position?.x, position?.y])
      expect(places[0]).toEqual(['ChatInput-in', 12, -7])
      expect(places.map(([id]) => id)).toEqual([
        'ChatInput-in',
        'note-1',
        'Prompt-main',
        'LanguageModelComponent-llm',
        'ChatOutput-renamed',
        'TextInput-new',
      ])
      const taken = places.filter(([id]) => id !== 'note-1').map(([, x, y]) => `${x} ${y}`)
      expect(new Set(taken).size).toBe(5)
      const template = data?.nodes?.find(({ id }) => id === 'Prompt-main')?.data.node.template
      expect(template?.['tone']?.value).toBe('curt')
      expect(template?.['template']?.['info']).toBe('Seen by one editor.')
    })
  })

  test('FC-31 without the layout the flow runs the same', async () => {
    await withFlow(drawnFlow(), async (cwd) => {
      await runCli(['eject', 'flows/support.json'], { cwd })
      await writeFile(join(cwd, 'flows/support.flow.layout.json'), '{ "version": 1 }')
      const [a, b] = [await outcome(drawnFlow()), await outcome(await withoutLayout(cwd))]
      expect(a).toEqual(b)
      expect(a.requests).toHaveLength(1)
    })
  })

  test('FC-35 unknown components, groups, broken edges and odd nodes are kept as they are', async () => {
    const flow = oddFlow()
    await withFlow(flow, async (cwd) => {
      const made = await runCli(['eject', 'flows/support.json'], { cwd })
      expect(made.err).toContain('is not in the library; its node is kept as it is.')
      expect(made.err).toContain('is a group; its node is kept as it is.')
      const source = await read(cwd, 'flows/support.flow.ts')
      expect(source).toContain('// MilvusVectorStore is not in the library')
      expect(source).toContain(
        `from './support.flow/MilvusVectorStore-a1.json' with { type: 'json' }`,
      )
      expect((await runCli(['build', 'flows'], { cwd })).err).toBe('')
      expect(await read(cwd, 'flows/support.json')).toBe(formatFlow(flow))
      await writeFile(join(cwd, 'flows/support.flow.layout.json'), '{ "version": 1 }')
      expect(problems(await withoutLayout(cwd))).toEqual(problems(flow))
    })
  })

  test('FC-36 code of the author is a file that can be edited', async () => {
    const flow = ownFlow()
    await withFlow(flow, async (cwd) => {
      expect((await runCli(['eject', 'flows/support.json'], { cwd })).err).toBe('')
      const source = await read(cwd, 'flows/support.flow.ts')
      expect(source).toContain(
        `const toneComponent = embedded(new URL('./support.flow/ToneComponent.py', import.meta.url))`,
      )
      expect(source.match(/flow\.add\(toneComponent,/g)).toHaveLength(2)
      expect(await read(cwd, 'flows/support.flow/ToneComponent.py')).toBe(PYTHON)
      expect(await readdir(join(cwd, 'flows/support.flow'))).toEqual([
        'ToneComponent.json',
        'ToneComponent.py',
      ])
      expect(await read(cwd, 'flows/support.flow/ToneComponent.json')).not.toContain('class Tone')
      expect((await runCli(['build', 'flows'], { cwd })).err).toBe('')
      expect(await read(cwd, 'flows/support.json')).toBe(formatFlow(flow))
      await writeFile(join(cwd, 'flows/support.flow/ToneComponent.py'), `${PYTHON}    x = 1\n`)
      await runCli(['build', 'flows'], { cwd })
      const { data } = JSON.parse(await read(cwd, 'flows/support.json')) as FlowJson
      const code = data?.nodes?.map(({ data: { node } }) => node.template['code']?.value)
      expect(code?.filter((text) => text === `${PYTHON}    x = 1\n`)).toHaveLength(2)
    })
  })

  test('FC-37 a secret is in no file', async () => {
    const flow = changed({ 'LanguageModelComponent-llm.api_key': 'sk-very-secret-value' })
    const field = flow.data?.nodes?.[2]?.data.node.template['api_key']
    Object.assign(field ?? {}, { load_from_db: false })
    const { source, layoutText, files, notes } = ejectFlow(flow, { file: 'support.json' })
    expect([source, layoutText, ...files.values(), ...notes].join('\n')).not.toContain(
      'very-secret',
    )
    expect(source).toContain(
      `// api_key had a value; store it as a variable and write variable('...')`,
    )
    expect(notes.join()).toContain('api_key held a value')
  })

  test('FC-33 FC-38 texts, lists and odd names are written as Prettier writes them', async () => {
    const flow = flowBuilder('A "flow" of `${odd}` */ names\u2028')
    const long = Array.from({ length: 60 }, (_, at) => ({ key: `k${at}`, value: "it's" }))
    flow.add(textInput, {
      displayName: 'default',
      values: { input_value: 'a\r\n${b}`\\'.repeat(20) },
    })
    flow.add(textInput, { displayName: '1 «ünïcode»', values: { input_value: 'x'.repeat(300) } })
    flow.add(textInput, { displayName: 'default', values: { input_value: `it's "quoted"` } })
    flow.add('more', { displayName: 'flow' })
    const json = flow.toJSON()
    Object.assign(json.data?.nodes?.[0]?.data.node.template['input_value'] ?? {}, { __proto__: 1 })
    const request = createNode(
      builtinComponents.find(({ type }) => type === 'APIRequest') ?? chatInput,
      {
        id: 'APIRequest-1',
        values: { headers: long, urls: ['https://a.example'], timeout: 7, curl_input: '\u0000' },
      },
    )
    json.data?.nodes?.push(request)
    const { source, files } = ejectFlow(json, { file: 'odd.json' })
    expect(await format(source, STYLE)).toBe(source)
    expect(source).toContain('export const node1Unicode = ')
    expect(source).toContain('export const default2 = ')
    expect([...files.keys()]).toContain('./odd.flow/apiRequest.headers.json')
    await withFlow(json, async (cwd) => {
      await runCli(['eject', 'flows/support.json'], { cwd })
      expect((await runCli(['build', 'flows'], { cwd })).err).toBe('')
      expect(await read(cwd, 'flows/support.json')).toBe(formatFlow(json))
    })
  })

  test('FC-33 FC-38 long names of files and wide signs are written as Prettier writes them', async () => {
    const flow = ownFlow()
    const wide = flowBuilder('Wide')
    const lines = [
      '위험 설비를 빠르게 파악하는 것이 목적입니다. ',
      '絵文字👍🏽と全角、',
      'naïve ★ text, ',
    ]
    for (const text of lines)
      for (let count = 1; count < 90; count += 11)
        wide.add(textInput, { values: { input_value: text.repeat(9).slice(0, count) } })
    const sources = [20, 60, 90, 200].map(
      (length) => ejectFlow(flow, { file: `${'x'.repeat(length)}.json` }).source,
    )
    for (const source of [...sources, ejectFlow(wide.toJSON()).source])
      expect(await format(source, STYLE)).toBe(source)
  })

  test('FC-8 FC-36 no name of a file ends a string of the source', async () => {
    await withFlow(ownFlow(), async (cwd) => {
      const flow = ownFlow()
      flow.data?.nodes?.push({
        id: 'Milvus-1',
        data: { type: 'Milvus', node: { template: {} } },
      })
      for (const name of ["it's", "');throw 1;('"]) {
        await writeFile(join(cwd, `flows/${name}.json`), JSON.stringify(flow))
        expect((await runCli(['eject', `flows/${name}.json`], { cwd })).code).toBe(0)
        expect(await runCli(['build', `flows/${name}.flow.ts`, '--check'], { cwd })).toMatchObject({
          code: 1,
          err: expect.stringContaining('is not what'),
        })
        expect((await runCli(['build', `flows/${name}.flow.ts`], { cwd })).code).toBe(0)
        expect(await read(cwd, `flows/${name}.json`)).toBe(formatFlow(flow))
      }
    })
  })

  test('FC-8 FC-36 signs of an address in the name of a file are written as its signs', () => {
    const { source } = ejectFlow(ownFlow(), { file: '50% a#b?.json' })
    expect(source).toContain("new URL('./50%25 a%23b%3F.flow/ToneComponent.py', import.meta.url)")
  })

  test('FC-31 FC-33 nodes that lack what their component acts by run the same without the layout', () => {
    const node = (type: string): FlowNode => {
      const component = builtinComponents.find((one) => one.type === type)
      return createNode(component ?? chatInput, { id: `${type}-1` })
    }
    const search = node('UnifiedWebSearch')
    const max_results = { type: 'int', _input_type: 'IntInput', value: 5, show: true }
    Object.assign(search.data.node.template, { max_results })
    const save = node('SaveToFile')
    Reflect.deleteProperty(save.data.node.template, 'storage_location')
    const { source } = ejectFlow({ name: 'Older', data: { nodes: [search, save], edges: [] } })
    expect(source).toContain('values: { max_results: 5 }')
    expect(source).toContain("without: ['storage_location']")
  })

  test('FC-9 FC-30 a source that fails is told with its place', async () => {
    await withFlow(supportFlow(), async (cwd) => {
      await writeFile(join(cwd, 'flows/a.flow.ts'), 'export default 3\n')
      expect(await runCli(['build', 'flows'], { cwd })).toMatchObject({
        code: 1,
        err: 'x-flow build: flows/a.flow.ts must export a flow of createFlow by default\n',
      })
      await writeFile(join(cwd, 'flows/a.flow.layout.json'), '{ "version": 2 }')
      expect(await runCli(['build', 'flows'], { cwd })).toMatchObject({
        code: 2,
        err: 'x-flow build: flows/a.flow.layout.json was written by a newer x-flow\n',
      })
    })
  })

  test('FC-24 check --build names a file that its source does not build', async () => {
    await withFlow(supportFlow(), async (cwd) => {
      await runCli(['eject', 'flows/support.json'], { cwd })
      await runCli(['build', 'flows'], { cwd })
      expect((await runCli(['check', 'flows', '--build'], { cwd })).out).not.toContain(
        'stale_build',
      )
      const source = await read(cwd, 'flows/support.flow.ts')
      await writeFile(join(cwd, 'flows/support.flow.ts'), source.replace('Your team', 'My team'))
      const { code, out } = await runCli(['check', 'flows', '--build'], { cwd })
      expect(code).toBe(1)
      expect(out).toContain('error stale_build: It is not what flows/support.flow.ts builds')
    })
  })

  test('FC-116 no value makes ejecting fail', () => {
    const odd: unknown[] = [null, 3, 'x', [], {}, { id: 1 }, { id: 'a', data: {} }]
    for (const nodes of [odd, odd.map((node) => ({ id: 'a', data: { type: 'Prompt', node } }))])
      for (const flow of [
        { nodes, edges: odd },
        { name: 1, data: { nodes, edges: odd } },
      ]) {
        const { source } = ejectFlow(flow)
        expect(source).toContain('export default flow')
      }
    expect(() => ejectFlow({ data: 3 })).toThrow(TypeError)
  })
})

function problems(flow: FlowJson): unknown {
  return checkFlow(flow, { components: createRegistry(builtinComponents) }).map(
    ({ code, message, nodeId }) => [code, message, nodeId],
  )
}

async function outcome(flow: FlowJson) {
  const model = createScriptedModel(['Soon.'])
  const result = await runFlow(flow, {
    components: createRegistry(builtinComponents),
    input: 'Where?',
    services: {
      models: { chatModel: () => model, embedder: () => ({ embed: () => Promise.resolve([]) }) },
    },
  }).result
  return {
    text: result.text(),
    order: [...result.vertices].map(([id, { valid }]) => [id, valid]),
    requests: model.requests.map(({ messages }) => messages),
  }
}

/** A flow with what the library does not have. */
function oddFlow(): FlowJson {
  const flow = flowBuilder('Odd')
  const start = flow.add(chatInput, { id: 'ChatInput-1' })
  const end = flow.add(chatOutput, { id: 'ChatOutput-1' })
  const text = flow.add(textInput, { id: 'TextInput-1', values: { input_value: 'inner' } })
  const out = flow.add(chatOutput, { id: 'ChatOutput-2' })
  flow.add('MilvusVectorStore', { id: 'MilvusVectorStore-a1' })
  flow.connect(`${start}.message`, `${end}.input_value`)
  flow.connect(`${text}.text`, `${out}.input_value`)
  flow.group('Group-1', [text, out])
  const json = flow.toJSON()
  const edges = json.data?.edges ?? []
  edges.push({ ...edges[0], id: 'twice', target: 'gone' } as never)
  json.data?.nodes?.push({ ...json.data.nodes[0] } as never)
  return json
}

/** Two nodes with one class of Python. */
function ownFlow(): FlowJson {
  const ids = ['CustomComponent-1', 'CustomComponent-2']
  const nodes = ids.map((id) => {
    const values = { input_value: `given ${id}` }
    const node = createNode(customComponent, { id, displayName: 'Tone', values })
    node.data.node.edited = true
    Object.assign(node.data.node.template['code'] ?? {}, { value: PYTHON })
    return node
  })
  return { name: 'Own', data: { nodes, edges: [] } }
}
