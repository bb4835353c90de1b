import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { changed } from './change-flow.ts'
import { inFolder, runCli } from './run-cli.ts'

const GUIDE = new URL('../../../docs/guides/flows-as-code.md', import.meta.url)
const MODEL = `
const model = { async *stream() { yield { text: 'Soon.' }; yield { finish: 'stop' } } }
export default { services: { models: { chatModel: () => model, embedder: () => model } } }
`

test('FC-110 the script and the workflow of the guide are those of the example', async () => {
  const text = await readFile(GUIDE, 'utf8')
  for (const [language, path] of [
    ['sh', 'ci.sh'],
    ['yaml', '.github/workflows/flows.yml'],
  ] as const) {
    const file = new URL(`../../../examples/flows-as-code/${path}`, import.meta.url)
    expect(text).toContain(`\n\`\`\`${language}\n${await readFile(file, 'utf8')}\`\`\`\n`)
  }
})

test('the commands of docs/guides/flows-as-code.md end well, in order, without a repository', async () => {
  const text = await readFile(GUIDE, 'utf8')
  const commands = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .filter((line) => line.startsWith('npx x-flow '))
  expect(commands.length).toBeGreaterThanOrEqual(7)
  await inFolder(async (cwd) => {
    await mkdir(join(cwd, 'flows'))
    const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
    await symlink(modules, join(cwd, 'node_modules'))
    await writeFile(join(cwd, 'x-flow.config.mjs'), MODEL)
    const flow = changed({ 'Prompt-main.tone': 'calm' })
    await writeFile(join(cwd, 'flows/support.json'), JSON.stringify(flow))
    for (const command of commands) {
      const words = [...command.slice('npx x-flow '.length).matchAll(/"([^"]*)"|(\S+)/g)]
      const result = await runCli(
        words.map(([, quoted, word]) => quoted ?? word ?? ''),
        { cwd },
      )
      expect([command, result.code, result.err]).toEqual([command, 0, ''])
    }
    expect(await readFile(join(cwd, 'change.svg'), 'utf8')).toContain('data-state="added"')
  })
})
