import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as code from '@x/flow-tools/code'
import { describe, expect, test } from 'vitest'
import { ejectFlow, flowTypes, formatFlow } from '../src/code.ts'
import { supportFlow } from './flows.ts'
import { inFolder, runCli } from './run-cli.ts'

const NAMES = [
  'with space.json',
  "quote'.json",
  '`back`tick$(touch x).json',
  '--json.json',
  'ünï\u2028code.json',
  'line\nbreak.json',
  '__proto__.json',
  'a.json.json',
]

describe('odd files', () => {
  test('FC-5 FC-116 files of any name are typed, checked, formatted and ejected, and name no command', async () => {
    await inFolder(async (cwd) => {
      await mkdir(join(cwd, 'flows'))
      for (const name of NAMES)
        await writeFile(join(cwd, 'flows', name), JSON.stringify(supportFlow()))
      for (const words of [
        ['types', 'flows'],
        ['format', 'flows'],
        ['check', 'flows'],
        ['eject', 'flows', '--out', 'ejected'],
      ]) {
        const { code: status, err } = await runCli(words, { cwd })
        expect([words[0], status, err]).toEqual([words[0], 0, ''])
      }
      const made = await readdir(join(cwd, 'flows'))
      for (const name of NAMES) expect(made).toContain(`${name}.d.ts`)
      const one = await runCli(['types', '--check', './flows/--json.json'], { cwd })
      expect([one.code, one.err]).toEqual([0, ''])
      await expect(access(join(cwd, 'x'))).rejects.toThrow('ENOENT')
      for (const name of NAMES) {
        const text = await readFile(join(cwd, 'flows', `${name}.js`), 'utf8')
        expect(text.split(/[\n\u2028]/)).toHaveLength(4)
      }
    })
  })

  test('FC-5 a byte order mark and the line ends of Windows make no difference', async () => {
    await inFolder(async (cwd) => {
      const text = formatFlow(supportFlow())
      await writeFile(join(cwd, 'plain.json'), text)
      await writeFile(join(cwd, 'windows.json'), `\uFEFF${text.replaceAll('\n', '\r\n')}`)
      const diff = await runCli(['diff', 'plain.json', 'windows.json', '--exit-code'], { cwd })
      expect([diff.code, diff.out]).toEqual([0, 'Support: no difference\n'])
      expect((await runCli(['types', 'windows.json'], { cwd })).code).toBe(0)
      await runCli(['format', 'windows.json'], { cwd })
      expect(await readFile(join(cwd, 'windows.json'), 'utf8')).toBe(text)
    })
  })

  test('FC-1 FC-116 cycles, twins, holes and a folder that cannot be written end with 1 or 2 and one line', async () => {
    await inFolder(async (cwd) => {
      const node = supportFlow().data?.nodes?.[0]
      const edge = { id: 'e', source: node?.id, target: node?.id, data: {} }
      const odd: Readonly<Record<string, unknown>> = {
        'cyclic.json': { name: 'c', data: { nodes: [node], edges: [edge, edge] } },
        'twins.json': { name: 't', data: { nodes: [node, node], edges: [] } },
        'holes.json': {
          name: 'h',
          data: { nodes: [null, 5, { id: 'x' }, { data: {} }], edges: [1] },
        },
        'texts.json': { name: 7, data: { nodes: [{ id: 1, data: { node: { template: 'x' } } }] } },
        'empty.json': { data: { nodes: [], edges: [] } },
      }
      for (const [name, flow] of Object.entries(odd))
        await writeFile(join(cwd, name), JSON.stringify(flow))
      for (const name of Object.keys(odd))
        for (const words of [
          ['types', name],
          ['check', name],
          ['format', name],
          ['eject', name, '--force'],
          ['diff', name, 'empty.json', '--markdown', '--svg', 'o.svg'],
          ['merge', 'empty.json', name, 'twins.json'],
        ]) {
          const { code: status, err } = await runCli(words, { cwd })
          expect([words, [0, 1, 2, 129].includes(status)]).toEqual([words, true])
          expect(err).not.toMatch(/^\s+at /m)
        }
      expect(await runCli(['merge', '--install'], { cwd })).toMatchObject({
        code: 2,
        err: 'x-flow merge: not a git repository\n',
      })
      await writeFile(join(cwd, 'file'), '')
      await writeFile(join(cwd, 'a.json'), JSON.stringify(supportFlow()))
      const blocked = await runCli(['eject', 'a.json', '--out', 'file/below'], { cwd })
      expect([blocked.code, blocked.err.trimEnd().split('\n').length]).toEqual([2, 1])
    })
  })

  test('FC-118 each command has a function underneath, without files', () => {
    for (const name of [
      'flowTypes',
      'ejectFlow',
      'formatFlow',
      'flowDiffText',
      'flowDiffMarkdown',
      'flowDiffSvg',
      'mergeFlows',
    ])
      expect(code).toHaveProperty(name, expect.any(Function))
  })

  test('FC-115 twice the nodes take no more than 2.6 times the work', { tags: ['long'] }, () => {
    /** Copies of the support flow side by side. */
    const wide = (copies: number) => {
      const { nodes = [], edges = [] } = supportFlow().data ?? {}
      const all = Array.from({ length: copies }, (_, at) =>
        JSON.parse(
          JSON.stringify({ nodes, edges }).replaceAll(/-(in|main|llm|out)\b/g, `-$1${at}`),
        ),
      ) as { nodes: object[]; edges: object[] }[]
      return {
        name: 'Wide',
        data: {
          nodes: all.flatMap((part) => part.nodes),
          edges: all.flatMap((part) => part.edges),
        },
      }
    }
    const cost = (work: () => unknown): number => {
      work()
      return Math.min(
        ...[0, 1, 2].map(() => {
          const from = process.cpuUsage()
          work()
          const { user, system } = process.cpuUsage(from)
          return user + system
        }),
      )
    }
    const [small, large] = [wide(50), wide(100)]
    const all = (flow: object) => [formatFlow(flow), flowTypes(flow), ejectFlow(flow)]
    expect(cost(() => all(large)) / cost(() => all(small))).toBeLessThan(2.6)
  })
})
