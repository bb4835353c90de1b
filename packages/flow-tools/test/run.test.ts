import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defineConfig } from '../src/testing.ts'
import { changed } from './change-flow.ts'
import { textFlow } from './flows.ts'
import { inFolder, runCli } from './run-cli.ts'

const MODULES = new URL('../../../node_modules', import.meta.url).pathname
const CONFIG = `
const model = {
  async *stream({ maxTokens = 500 }) {
    yield { text: 'Soon.' }
    yield { finish: 'stop', usage: { inputTokens: 10, outputTokens: Math.min(50, maxTokens) } }
  },
}
export default {
  flows: ['flows'],
  prices: { '*': { input: 1, output: 2 } },
  services: { models: { chatModel: () => model, embedder: () => model } },
}
`

async function withProject(use: (cwd: string) => Promise<void>): Promise<void> {
  await inFolder(async (cwd) => {
    await symlink(MODULES, join(cwd, 'node_modules'))
    await mkdir(join(cwd, 'flows'))
    await writeFile(join(cwd, 'x-flow.config.mjs'), CONFIG)
    await writeFile(
      join(cwd, 'flows/support.json'),
      JSON.stringify(changed({ 'Prompt-main.tone': 'calm' })),
    )
    await use(cwd)
  })
}

describe('x-flow run', () => {
  test('FC-85 prints the text, also of a source, of stdin, and as it comes', async () => {
    await withProject(async (cwd) => {
      const words = ['run', 'flows/support.json', '--input', 'Where?']
      const soon = { code: 0, out: 'Soon.\n', err: '' }
      expect(await runCli(words, { cwd })).toEqual(soon)
      expect(await runCli([...words, '--stream'], { cwd })).toEqual(soon)
      const piped = await runCli(['run', 'flows/support.json', '--input', '-'], {
        cwd,
        stdin: 'Hi',
      })
      expect(piped).toEqual(soon)
      await runCli(['eject'], { cwd })
      expect(await runCli(['run', 'flows/support.flow.ts', '--input', 'Where?'], { cwd })).toEqual(
        soon,
      )
    })
  })

  test('FC-85 FC-97 --json tells what the run used', async () => {
    await withProject(async (cwd) => {
      const { code, out } = await runCli(
        ['run', 'flows/support.json', '--input', 'Where?', '--json'],
        { cwd },
      )
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({
        status: 'succeeded',
        text: 'Soon.',
        usage: { inputTokens: 10, outputTokens: 50 },
        spent: { modelCalls: 1, tokens: 60, money: 0.00011 },
        error: null,
      })
    })
  })

  test('FC-85 FC-96 a run over its budget ends with 1 and says so', async () => {
    await withProject(async (cwd) => {
      const words = ['run', 'flows/support.json', '--input', 'Where?', '--budget']
      const { code, out, err } = await runCli([...words, 'tokens=20'], { cwd })
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(/^x-flow run: The budget of 20 tokens is used up \(0 spent; /)
      for (const list of ['lots', 'tokens=0', 'calls=1.5', 'token=3'])
        expect(await runCli([...words, list], { cwd })).toMatchObject({
          code: 2,
          err: `x-flow run: option "--budget" must be a list such as tokens=1000,seconds=30, got "${list}"\n`,
        })
    })
  })

  test('FC-85 a recording answers in the place of the model', async () => {
    await withProject(async (cwd) => {
      const words = ['flows/support.json', '--input', 'Where?']
      expect((await runCli(['record', ...words, '--out', 'tests/late'], { cwd })).code).toBe(0)
      await writeFile(join(cwd, 'x-flow.config.mjs'), 'export default {}\n')
      const replayed = await runCli(['run', ...words, '--cassette', 'tests/late'], { cwd })
      expect(replayed).toEqual({ code: 0, out: 'Soon.\n', err: '' })
    })
  })

  test('FC-7 the configuration names flows, and an unknown key is refused', async () => {
    await withProject(async (cwd) => {
      await writeFile(join(cwd, 'flows/text.json'), JSON.stringify(textFlow()))
      expect((await runCli(['types'], { cwd })).out).toContain('types: 2 flows')
      await writeFile(join(cwd, 'x-flow.config.mjs'), 'export default { flow: [] }\n')
      expect(await runCli(['types'], { cwd })).toMatchObject({
        code: 2,
        err: 'x-flow types: x-flow.config.mjs: unknown option "flow". Did you mean "flows"?\n',
      })
      expect(defineConfig({ flows: ['a'] })).toEqual({ flows: ['a'] })
    })
  })
})
