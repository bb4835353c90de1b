import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { needs } from '@x/test-kit/needs'
import type { FlowJson } from '@x/flow-engine'
import { describe, expect, test } from 'vitest'
import { formatFlow, mergeFlows } from '../src/code.ts'
import { changed } from './change-flow.ts'
import { supportFlow, textFlow } from './flows.ts'
import { inFolder, runCli } from './run-cli.ts'

const LLM = 'LanguageModelComponent-llm'
const json = (value: unknown): string => JSON.stringify(value)

function without(id: string, flow: FlowJson = supportFlow()): FlowJson {
  const { nodes = [], edges = [] } = flow.data ?? {}
  flow.data = {
    ...flow.data,
    nodes: nodes.filter((node) => node.id !== id),
    edges: edges.filter(({ source, target }) => source !== id && target !== id),
  }
  return flow
}

function moved(x: number, flow: FlowJson): FlowJson {
  for (const node of flow.data?.nodes ?? []) node.position = { x, y: 0 }
  return flow
}

describe('merging flows', () => {
  test('FC-71 changes of two fields of one node, both moved, merge alone and in either order', () => {
    const ours = moved(5, changed({ [`${LLM}.temperature`]: 0.5 }))
    const theirs = moved(9, changed({ [`${LLM}.system_message`]: 'Be kind.' }))
    const both = changed({ [`${LLM}.temperature`]: 0.5, [`${LLM}.system_message`]: 'Be kind.' })
    const merged = mergeFlows(supportFlow(), ours, theirs)
    expect(merged.conflicts).toEqual([])
    expect(formatFlow(merged.flow)).toBe(formatFlow(moved(5, both)))
    expect(mergeFlows(supportFlow(), theirs, ours).conflicts).toEqual([])
  })

  test('FC-71 lines of one text, rows of one table, names of lists', () => {
    const text = (lines: string): FlowJson => changed({ 'Prompt-main.template': lines })
    const { flow, conflicts } = mergeFlows(
      text('a\nb\nc\nd'),
      text('A\nb\nc\nd'),
      text('a\nb\nc\nD'),
    )
    expect(conflicts).toEqual([])
    expect(json(flow)).toContain(json('A\nb\nc\nD'))
    const near = mergeFlows(text('a\nb'), text('A\nb'), text('a\nB'))
    expect(near.conflicts).toMatchObject([
      { kind: 'field', node: 'Prompt-main', field: 'template' },
    ])
  })

  test('FC-72 both changed one value; one removed what the other changed; secrets stay hidden', () => {
    const ours = changed(
      { [`${LLM}.temperature`]: 0.2, [`${LLM}.api_key`]: 'sk-one' },
      without('ChatOutput-out'),
    )
    const theirs = changed({
      [`${LLM}.temperature`]: 0.7,
      [`${LLM}.api_key`]: 'sk-two',
      'ChatOutput-out.sender_name': 'Bot',
    })
    const { flow, conflicts } = mergeFlows(supportFlow(), ours, theirs)
    expect(conflicts).toEqual([
      { kind: 'field', node: LLM, field: 'api_key', base: '', ours: '*****', theirs: '*****' },
      { kind: 'field', node: LLM, field: 'temperature', base: 0.1, ours: 0.2, theirs: 0.7 },
      { kind: 'node', node: 'ChatOutput-out', base: null, ours: 'removed', theirs: 'changed' },
    ])
    expect(json(flow)).toContain(`"source":"${LLM}"`)
    expect(
      mergeFlows(supportFlow(), without('ChatOutput-out'), moved(3, supportFlow())).conflicts,
    ).toEqual([])
  })

  test('FC-72 both added a node of one id; both named the flow', () => {
    const added = (text: string): FlowJson => {
      const flow = supportFlow()
      const [node] = structuredClone(textFlow()).data?.nodes ?? []
      if (node !== undefined) {
        Object.assign(node.data.node.template['input_value'] ?? {}, { value: text })
        flow.data?.nodes?.push(node)
      }
      flow.name = text
      return flow
    }
    const { conflicts } = mergeFlows(supportFlow(), added('one'), added('two'))
    expect(conflicts).toEqual([
      { kind: 'flow', node: null, field: 'name', base: 'Support', ours: 'one', theirs: 'two' },
      { kind: 'node_added', node: 'TextInput-a', base: null, ours: 'added', theirs: 'added' },
    ])
  })

  test('FC-72 FC-73 both fed one field that takes one edge', () => {
    const fed = (id: string): FlowJson => {
      const flow = without('ChatInput-in')
      const [node] = structuredClone(textFlow()).data?.nodes ?? []
      const edge = structuredClone(supportFlow().data?.edges?.[0])
      if (node === undefined || edge === undefined) return flow
      flow.data?.nodes?.push({ ...node, id, data: { ...node.data, id } })
      const sourceHandle = { dataType: 'TextInput', id, name: 'text', output_types: ['Message'] }
      flow.data?.edges?.push({ ...edge, source: id, data: { ...edge.data, sourceHandle } })
      return flow
    }
    const { flow, conflicts } = mergeFlows(supportFlow(), fed('TextInput-x'), fed('TextInput-y'))
    expect(conflicts).toEqual([
      {
        kind: 'edge',
        node: 'Prompt-main',
        field: 'question',
        base: 'ChatInput-in.message -> Prompt-main.question',
        ours: 'TextInput-x.text -> Prompt-main.question',
        theirs: 'TextInput-y.text -> Prompt-main.question',
      },
    ])
    expect(json(flow)).not.toContain('"source":"TextInput-y"')
  })

  test('FC-75 merging with what did not change gives the form of ours', () => {
    const [base, a] = [
      supportFlow(),
      changed({ [`${LLM}.temperature`]: 0.5 }, without('ChatInput-in')),
    ]
    expect(formatFlow(mergeFlows(base, a, base).flow)).toBe(formatFlow(a))
    expect(formatFlow(mergeFlows(base, a, a).flow)).toBe(formatFlow(a))
    expect(formatFlow(mergeFlows(base, base, a).flow)).toBe(formatFlow(a))
  })

  test('FC-75 FC-116 no three values make it throw', () => {
    const odd = [
      null,
      1,
      'x',
      [],
      {},
      { data: null },
      {
        data: {
          nodes: [1, {}, { id: 'a' }, { id: 'a', data: { type: 'x', node: { template: [] } } }],
          edges: [{}, { source: 'a', target: 'a' }],
        },
      },
      supportFlow(),
    ]
    for (const base of odd)
      for (const ours of odd)
        for (const theirs of odd) expect(() => mergeFlows(base, ours, theirs)).not.toThrow()
  })
})

describe('x-flow merge', () => {
  test('FC-70 FC-73 FC-74 a conflict is listed beside the file, decided, and then gone', async () => {
    await inFolder(async (cwd) => {
      const files = {
        base: supportFlow(),
        ours: changed({ [`${LLM}.temperature`]: 0.2 }),
        theirs: changed({ [`${LLM}.temperature`]: 0.7 }),
      }
      for (const [name, flow] of Object.entries(files))
        await writeFile(join(cwd, `${name}.json`), json(flow))
      const merged = await runCli(['merge', 'base.json', 'ours.json', 'theirs.json'], { cwd })
      expect(merged).toEqual({
        code: 1,
        out: '',
        err: `conflict: Language Model (${LLM}) temperature: ours 0.2, theirs 0.7\n`,
      })
      const check = await runCli(['check', 'ours.json'], { cwd })
      expect([check.code, check.out]).toEqual([
        1,
        expect.stringContaining('ours.json: error conflict: 1 merge conflict is not decided'),
      ])
      const taken = await runCli(['merge', '--take', 'theirs', 'ours.json'], { cwd })
      expect([taken.code, taken.out]).toEqual([0, 'merge: 1 decided, 0 left\n'])
      expect(await readFile(join(cwd, 'ours.json'), 'utf8')).toBe(formatFlow(files.theirs))
      await expect(readFile(join(cwd, 'ours.json.conflicts.json'))).rejects.toThrow('ENOENT')
      expect((await runCli(['check', 'ours.json'], { cwd })).code).toBe(0)
    })
  })

  test('FC-75 an input that is no flow ends with 129 and leaves ours', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.json'), json(supportFlow()))
      await writeFile(join(cwd, 'b.json'), '<<<<<<<')
      const { code } = await runCli(['merge', 'a.json', 'a.json', 'b.json'], { cwd })
      expect(code).toBe(129)
      expect(await readFile(join(cwd, 'a.json'), 'utf8')).toBe(json(supportFlow()))
    })
  })

  test('FC-70 without a repository there is nothing to install', async () => {
    await inFolder(async (cwd) => {
      const { code, err } = await runCli(['merge', '--install'], { cwd })
      expect([code, err]).toEqual([2, 'x-flow merge: not a git repository\n'])
    })
  })

  test(
    'FC-70 J5 git merges two branches with the driver',
    { tags: ['long'], ...needs('git') },
    async () => {
      await inFolder(async (cwd) => {
        const git = (...args: string[]): string =>
          execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
            cwd,
            encoding: 'utf8',
            stdio: 'pipe',
          })
        git('init', '-q', '-b', 'main')
        await mkdir(join(cwd, 'flows'))
        const flow = join(cwd, 'flows/a.json')
        const commit = async (name: string, value: FlowJson): Promise<void> => {
          await writeFile(flow, formatFlow(value))
          git('add', '.')
          git('commit', '-qm', name)
        }
        expect((await runCli(['merge', '--install'], { cwd })).code).toBe(0)
        await runCli(['merge', '--install'], { cwd })
        expect(await readFile(join(cwd, '.gitattributes'), 'utf8')).toBe(
          'flows/**/*.json merge=x-flow diff=x-flow\n',
        )
        const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
        const tsx = fileURLToPath(
          new URL('../../../node_modules/tsx/dist/loader.mjs', import.meta.url),
        )
        git(
          'config',
          'merge.x-flow.driver',
          `"${process.execPath}" --import "${tsx}" --conditions=@x/source "${program}" merge %O %A %B %P`,
        )
        await commit('base', supportFlow())
        git('checkout', '-qb', 'theirs')
        await commit('theirs', moved(9, changed({ [`${LLM}.system_message`]: 'Be kind.' })))
        git('checkout', '-q', 'main')
        await commit('ours', moved(5, changed({ [`${LLM}.temperature`]: 0.5 })))
        git('merge', '-q', '--no-edit', 'theirs')
        const both = changed({ [`${LLM}.temperature`]: 0.5, [`${LLM}.system_message`]: 'Be kind.' })
        expect(await readFile(flow, 'utf8')).toBe(formatFlow(moved(5, both)))
        git('checkout', '-qb', 'other', 'HEAD~1')
        await commit('other', moved(5, changed({ [`${LLM}.system_message`]: 'Be brief.' })))
        expect(() => git('merge', '-q', '--no-edit', 'main')).toThrow()
        expect(JSON.parse(await readFile(flow, 'utf8'))).toMatchObject({ name: 'Support' })
        expect(JSON.parse(await readFile(`${flow}.conflicts.json`, 'utf8'))).toMatchObject([
          { field: 'system_message' },
        ])
      })
    },
  )
})
