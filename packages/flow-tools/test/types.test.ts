import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { flowTypes } from '../src/code.ts'
import { supportFlow, textFlow } from './flows.ts'
import { inFolder, runCli } from './run-cli.ts'

const read = (folder: string, path: string): Promise<string> => readFile(join(folder, path), 'utf8')

async function withFlows<T>(use: (folder: string) => Promise<T>): Promise<T> {
  return inFolder(async (folder) => {
    await mkdir(join(folder, 'flows'))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, 'flows/support.json'), JSON.stringify(supportFlow()))
    await writeFile(join(folder, 'flows/text.json'), JSON.stringify(textFlow()))
    await writeFile(join(folder, 'flows/other.json'), '{"name":"no flow"}')
    return use(folder)
  })
}

describe('x-flow types', () => {
  test('FC-10 writes two files beside each flow, and leaves them when nothing changed', async () => {
    await withFlows(async (cwd) => {
      const first = await runCli(['types', 'flows'], { cwd })
      expect(first).toEqual({
        code: 0,
        out: 'types: 2 flows, 4 files written, 0 unchanged\n',
        err: '',
      })
      expect(await read(cwd, 'flows/support.json.js')).toBe(
        "// Written by x-flow types from support.json. Do not edit.\nimport flow from './support.json' with { type: 'json' }\nexport default flow\n",
      )
      const again = await runCli(['types', '"flows/*.json"'.slice(1, -1)], { cwd })
      expect(again.out).toBe('types: 2 flows, 0 files written, 4 unchanged\n')
    })
  })

  test('FC-10 a package of CommonJS gets a module of its kind', async () => {
    await withFlows(async (cwd) => {
      await writeFile(join(cwd, 'package.json'), '{}')
      await runCli(['types', 'flows/text.json'], { cwd })
      expect(await read(cwd, 'flows/text.json.js')).toContain(
        "module.exports = require('./text.json')",
      )
      expect(await read(cwd, 'flows/text.json.d.ts')).toContain('export = flow')
      await runCli(['types', 'flows/text.json', '--module', 'esm'], { cwd })
      expect(await read(cwd, 'flows/text.json.d.ts')).toContain('export default flow')
    })
  })

  test('FC-22 FC-6 the JSON form names what was written and what a run needs', async () => {
    await withFlows(async (cwd) => {
      const { out } = await runCli(['types', '--json', 'flows'], { cwd })
      expect(JSON.parse(out)).toEqual({
        flows: [
          {
            file: 'flows/support.json',
            written: ['flows/support.json.js', 'flows/support.json.d.ts'],
            inputs: ['Prompt-main'],
            variables: [],
            session: false,
          },
          {
            file: 'flows/text.json',
            written: ['flows/text.json.js', 'flows/text.json.d.ts'],
            inputs: ['TextInput-a'],
            variables: [],
            session: true,
          },
        ],
      })
    })
  })

  test('FC-23 --check names stale, missing and orphaned files and writes nothing', async () => {
    await withFlows(async (cwd) => {
      await runCli(['types', 'flows'], { cwd })
      expect((await runCli(['types', '--check', 'flows'], { cwd })).code).toBe(0)
      const changed = JSON.stringify(supportFlow()).replaceAll('Language Model', 'Writer')
      await writeFile(join(cwd, 'flows/support.json'), changed)
      await rm(join(cwd, 'flows/text.json'))
      const before = await read(cwd, 'flows/support.json.d.ts')
      const { code, err } = await runCli(['types', '--check', 'flows'], { cwd })
      expect(code).toBe(1)
      expect(err.split('\n').slice(0, 2)).toEqual([
        'flows/support.json.d.ts is not up to date. Run: x-flow types flows/support.json',
        'flows/text.json.d.ts belongs to no flow. Remove it',
      ])
      expect(await read(cwd, 'flows/support.json.d.ts')).toBe(before)
    })
  })

  test('FC-22 --watch writes again after a change, and removes what belongs to a removed flow', async () => {
    await withFlows(async (cwd) => {
      const stop = new AbortController()
      const lines: string[] = []
      let next: (() => void) | undefined
      const onOut = (text: string): void => {
        lines.push(text.trim())
        next?.()
      }
      const line = async (part: string): Promise<void> => {
        while (!lines.some((one) => one.includes(part)))
          await new Promise<void>((resolve) => {
            next = resolve
          })
      }
      const running = runCli(['types', '--watch', 'flows'], { cwd, signal: stop.signal, onOut })
      await line('flows/text.json written')
      await writeFile(join(cwd, 'flows/new.json'), JSON.stringify(textFlow()))
      await line('flows/new.json written')
      await writeFile(join(cwd, 'flows/new.json'), '{"half')
      await rm(join(cwd, 'flows/text.json'))
      await line('flows/text.json removed')
      stop.abort()
      expect((await running).code).toBe(130)
      await expect(read(cwd, 'flows/text.json.d.ts')).rejects.toThrow('ENOENT')
      expect(await read(cwd, 'flows/new.json.d.ts')).toContain('Memory-m')
    })
  })

  test('FC-21 positions, notes, code and help do not change the types', () => {
    const flow = supportFlow()
    const types = flowTypes(flow, { file: 'a.json' })
    for (const node of flow.data?.nodes ?? []) {
      node.position = { x: 7, y: 8 }
      node.data.node.description = 'Changed'
      Object.assign(node.data.node.template['code'] ?? {}, { value: 'print()' })
    }
    flow.data?.nodes?.push({
      id: 'note-1',
      type: 'noteNode',
      data: { type: 'note', node: { template: {} } },
    })
    expect(flowTypes(flow, { file: 'a.json' })).toEqual(types)
  })

  test('FC-13 FC-116 names of any characters stay names', () => {
    const flow = supportFlow()
    const nodes = flow.data?.nodes ?? []
    const hostile = "*/ ' ` ${x} \u2028 \n </svg>"
    const [first, second] = nodes
    if (first !== undefined) first.data.node.display_name = hostile
    if (second !== undefined) second.data.node.display_name = '__proto__'
    const { dts } = flowTypes(flow, { file: "a\n*/'.json" })
    expect(dts.split('\n')[0]).toBe("// Written by x-flow types from a */'.json. Do not edit.")
    expect(dts).toContain(String.raw`name: '*/ \' ` + '` ${x} ' + String.raw`\u2028 \n </svg>'`)
    expect(dts).toContain("name: '__proto__'")
  })
})

describe('types of runs', () => {
  test('FC-12 FC-13 FC-14 FC-15 FC-16 FC-17 FC-18 FC-19 the flows of flow-types.ts have the types that are compiled there', async () => {
    for (const [name, flow] of Object.entries({ support: supportFlow(), text: textFlow() })) {
      const committed = new URL(`golden/${name}.json.d.ts`, import.meta.url)
      expect(flowTypes(flow, { file: `${name}.json` }).dts).toBe(await readFile(committed, 'utf8'))
    }
  })
})

describe('the command', () => {
  test.each([
    [['type'], 'x-flow: unknown command "type". Did you mean "types"?'],
    [
      ['types', '--wach', 'flows'],
      'x-flow types: unknown option "--wach". Did you mean "--watch"?',
    ],
    [['types'], 'x-flow types: name at least one flow file, folder or pattern'],
    [['types', 'flows/a.json'], 'x-flow types: flows/a.json does not exist'],
    [['types', 'flows/*.jsn'], 'x-flow types: no flow file matches "flows/*.jsn"'],
    [['types', 'package.json'], 'x-flow types: package.json is not a flow (it has no data.nodes)'],
  ])('FC-3 FC-4 wrong use ends with 2 and one line: %j', async (words, line) => {
    await withFlows(async (cwd) => {
      expect(await runCli(words, { cwd })).toEqual({ code: 2, out: '', err: `${line}\n` })
    })
  })

  test('FC-4 FC-5 broken, deep and marked files', async () => {
    await withFlows(async (cwd) => {
      await writeFile(join(cwd, 'a.json'), '{\n  "a": 1,\n  b\n}')
      const broken = await runCli(['types', 'a.json'], { cwd })
      expect(broken.code).toBe(2)
      expect(broken.err).toMatch(/^x-flow types: a\.json is not JSON: .+ \(line 3, column 3\)\n$/)
      await writeFile(join(cwd, 'a.json'), `${'['.repeat(201)}${']'.repeat(201)}`)
      expect((await runCli(['types', 'a.json'], { cwd })).err).toContain('nested deeper than 200')
      await writeFile(join(cwd, 'a.json'), `\ufeff${JSON.stringify(textFlow())}`)
      expect((await runCli(['types', 'a.json'], { cwd })).code).toBe(0)
    })
  })

  test('FC-8 a link that leads out of the folder is not written through', async () => {
    await withFlows(async (cwd) => {
      await writeFile(join(cwd, 'outside.js'), 'mine')
      await symlink(join(cwd, 'outside.js'), join(cwd, 'flows/text.json.js'))
      const { code, err } = await runCli(['types', 'flows/text.json'], { cwd })
      expect([code, err]).toEqual([2, 'x-flow types: text.json.js leads out of its folder\n'])
      expect(await read(cwd, 'outside.js')).toBe('mine')
    })
  })

  test('FC-2 help fits 80 columns and names every option', async () => {
    await inFolder(async (cwd) => {
      expect((await runCli(['--version'], { cwd })).out).toBe('0.0.0\n')
      const general = await runCli([], { cwd })
      expect(general.code).toBe(0)
      const names = [...general.out.matchAll(/^ {2}([a-z]+) {2,}\w/gm)].map(
        ([, name]) => name ?? '',
      )
      expect(names).toContain('types')
      for (const name of names) {
        const { code, out } = await runCli([name, '--help'], { cwd })
        expect(code).toBe(0)
        for (const part of ['Usage:', 'Options:', 'Exit codes:', 'Example:'])
          expect(out).toContain(part)
        for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
      }
    })
  })
})
