import { checkFlow, createRegistry, type FlowJson } from '@x/flow-engine'
import { builtinComponents } from '@x/flow-components'
import { needs } from '@x/test-kit/needs'
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import { expect, test } from 'vitest'
import { ejectFlow } from '../src/code/eject-flow.ts'
import { formatFlow } from '../src/code/format-flow.ts'
import { isFlow } from '../src/command/flow-files.ts'
import { withoutSecrets } from '../src/code/without-secrets.ts'
import { inFolder, runCli } from './run-cli.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const GOLDEN = fileURLToPath(new URL('../../../../shared/golden/', import.meta.url))
const STYLE = { semi: false, singleQuote: true, printWidth: 100, parser: 'typescript' } as const
const components = createRegistry(builtinComponents)

test('FC-39 FC-40 the flows of the examples survive', async () => {
  expect(await surviving(await flowsBelow(join(ROOT, 'examples'), ['']))).toBeGreaterThan(4)
})

test('FC-39 FC-40 recorded flows and starters survive', needs('golden'), async () => {
  expect(
    await surviving(await flowsBelow(GOLDEN, ['flows/', 'flows-as-code/', 'doors/flows/'])),
  ).toBeGreaterThan(4)
})

test('FC-40 flows with routers survive', needs('golden'), async () => {
  const path = join(GOLDEN, 'routing/flows.mjs')
  const routing = (await import(/* @vite-ignore */ path)) as {
    readonly cases: readonly unknown[]
    flowOf(graph: unknown, address: string): FlowJson
  }
  // All of them by night: each is a module that is loaded.
  const step = process.env['NIGHT'] === '1' ? 1 : 10
  const flows = routing.cases.map(
    (graph, at) => [`routing-${at}`, routing.flowOf(graph, 'http://127.0.0.1:9/v1')] as const,
  )
  expect(await surviving(flows.filter((_, at) => at % step === 0))).toBeGreaterThan(4)
})

async function flowsBelow(folder: string, below: readonly string[]): Promise<[string, unknown][]> {
  const paths = (await readdir(folder, { recursive: true })).filter(
    (path) =>
      path.endsWith('.json') &&
      !path.includes('node_modules') &&
      below.some((start) => path.startsWith(start)),
  )
  const read = async (path: string): Promise<[string, unknown]> => [
    path.replaceAll(/\W+/g, '-'),
    JSON.parse(await readFile(join(folder, path), 'utf8')),
  ]
  return (await Promise.all(paths.map(read))).filter(([, flow]) => isFlow(flow))
}

/** Each flow builds its canonical form again, has the same problems without the layout, and is a short text. */
async function surviving(flows: readonly (readonly [string, unknown])[]): Promise<number> {
  let [sources, files] = [0, 0]
  await inFolder(async (cwd) => {
    await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
    for (const [name, flow] of flows) {
      const clean = withoutSecrets(flow).flow
      const { source, layoutText, files: others } = ejectFlow(flow, { file: `${name}.json` })
      expect([name, await format(source, STYLE)]).toEqual([name, source])
      const texts = new Map([
        [`${name}.flow.ts`, source],
        [`${name}.flow.layout.json`, layoutText],
        ...others,
      ])
      for (const [path, text] of texts) {
        await mkdir(dirname(join(cwd, path)), { recursive: true })
        await writeFile(join(cwd, path), text)
      }
      expect(await build(cwd, name)).toBe(formatFlow(clean))
      const again = ejectFlow(JSON.parse(await build(cwd, name)), { file: `${name}.json` })
      expect(again.layoutText).toBe(layoutText)
      await writeFile(join(cwd, `${name}.flow.layout.json`), '{ "version": 1 }')
      expect([name, problems(JSON.parse(await build(cwd, name)))]).toEqual([name, problems(clean)])
      const json = JSON.stringify(flow, null, 2)
      expect(layoutText.length).toBeLessThan(json.length)
      const [short, long] = [source.split('\n').length, json.split('\n').length]
      expect([name, short * 8 <= long]).toEqual([name, true])
      sources += short
      files += long
    }
  })
  expect(sources * 12).toBeLessThanOrEqual(files)
  return flows.length
}

async function build(cwd: string, name: string): Promise<string> {
  const { code, err } = await runCli(['build', `${name}.flow.ts`], { cwd })
  expect([name, code, err]).toEqual([name, 0, ''])
  return readFile(join(cwd, `${name}.json`), 'utf8')
}

function problems(flow: unknown): unknown {
  return checkFlow(flow, { components }).map(({ code, message, nodeId }) => [code, message, nodeId])
}
