import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatFlow } from '../src/code.ts'
import { changed } from './change-flow.ts'
import { supportFlow } from './flows.ts'
import { inFolder, runCli } from './run-cli.ts'

describe('x-flow check', () => {
  test('FC-24 lists problems, stale types, keys in the file and another form, and counts them', async () => {
    await inFolder(async (cwd) => {
      await mkdir(join(cwd, 'flows'))
      const file = join(cwd, 'flows/a.json')
      await writeFile(file, formatFlow(supportFlow()))
      await writeFile(join(cwd, 'package.json'), '{"type":"module"}')
      await runCli(['types', 'flows'], { cwd })
      const fine = await runCli(['check', 'flows', '--strict'], { cwd })
      expect([fine.code, fine.out]).toEqual([0, 'check: 1 flow, 0 errors, 0 warnings\n'])
      const flow = changed({ 'LanguageModelComponent-llm.api_key': 'sk-1234567890' })
      const [node] = flow.data?.nodes ?? []
      if (node !== undefined) node.data.node.display_name = 'Question'
      await writeFile(file, JSON.stringify(flow))
      const { code, out } = await runCli(['check', 'flows'], { cwd })
      expect(code).toBe(1)
      expect(out.split('\n')).toEqual([
        'flows/a.json: error stale_types: flows/a.json.d.ts is not up to date. Run: x-flow types flows/a.json',
        'flows/a.json: error secret_value: Language Model (LanguageModelComponent-llm): api_key holds a value. Store it as a variable',
        'flows/a.json: warning not_formatted: Run: x-flow format flows/a.json',
        'check: 1 flow, 2 errors, 1 warning',
        '',
      ])
      expect(out).not.toContain('sk-1234567890')
    })
  })

  test('FC-24 FC-3 a warning ends with 1 when asked', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.json'), JSON.stringify(supportFlow()))
      const codes = [
        ['check', 'a.json'],
        ['check', 'a.json', '--strict'],
        ['check', 'a.json', '--format'],
      ]
      const results = await Promise.all(codes.map((words) => runCli(words, { cwd })))
      expect(results.map(({ code }) => code)).toEqual([0, 1, 1])
    })
  })

  test('FC-25 a broken file is an error of that file, and the others are checked', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'a.json'), '{')
      await writeFile(join(cwd, 'b.json'), formatFlow(supportFlow()))
      await writeFile(join(cwd, 'package.json'), '{}')
      const { code, out } = await runCli(['check', '.', '--json'], { cwd })
      expect(code).toBe(1)
      expect(JSON.parse(out)).toMatchObject({
        findings: [{ file: 'a.json', severity: 'error', code: 'invalid_flow' }],
      })
    })
  })
})

describe('the configuration', () => {
  test('FC-7 an unknown key is refused by name, and other commands do not load it', async () => {
    await inFolder(async (cwd) => {
      await mkdir(join(cwd, 'flows'))
      await writeFile(join(cwd, 'x-flow.config.mjs'), 'export default { flow: [] }')
      await writeFile(join(cwd, 'flows/a.json'), formatFlow(supportFlow()))
      const { code, err } = await runCli(['test', '.'], { cwd: join(cwd, 'flows') })
      expect([code, err]).toEqual([
        2,
        'x-flow test: x-flow.config.mjs: unknown option "flow". Did you mean "flows"?\n',
      ])
      expect((await runCli(['format', 'flows'], { cwd })).code).toBe(0)
    })
  })
})
