import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changed } from './change-flow.ts'
import { inFolder, runCli, type CliResult } from './run-cli.ts'

const MODULES = new URL('../../../node_modules', import.meta.url).pathname
const CONFIG = `
const model = {
  async *stream({ messages, signal }) {
    const asked = String(messages.at(-1).content)
    if (asked.includes('wait'))
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    yield { text: asked.split('\\n')[0] }
    yield { finish: 'stop', usage: { inputTokens: 10, outputTokens: 2 } }
  },
}
export default { services: { models: { chatModel: () => model, embedder: () => model } } }
`

/** The command while it runs. */
interface Development {
  /** Resolves when the output has a text. */
  readonly seen: (text: string) => Promise<void>
  readonly write: (tone: string) => Promise<void>
  readonly cwd: string
  readonly end: () => Promise<CliResult>
}

async function developing(
  words: readonly string[],
  use: (dev: Development) => Promise<void>,
): Promise<void> {
  await inFolder(async (cwd) => {
    await symlink(MODULES, join(cwd, 'node_modules'))
    await mkdir(join(cwd, 'flows'))
    await writeFile(join(cwd, 'x-flow.config.mjs'), CONFIG)
    const write = (tone: string): Promise<void> =>
      writeFile(join(cwd, 'flows/a.json'), JSON.stringify(changed({ 'Prompt-main.tone': tone })))
    await write('calm')
    const interrupt = new AbortController()
    let out = ''
    let told = (): void => undefined
    const onOut = (text: string): void => {
      out += text
      told()
    }
    const result = runCli(['dev', 'flows/a.json', ...words], {
      cwd,
      signal: interrupt.signal,
      onOut,
    })
    const seen = async (text: string): Promise<void> => {
      while (!out.includes(text))
        await new Promise<void>((resolve) => {
          told = resolve
        })
    }
    const end = (): Promise<CliResult> => {
      interrupt.abort()
      return result
    }
    try {
      await use({ seen, write, cwd, end })
    } finally {
      await end()
    }
  })
}

describe('x-flow dev', () => {
  test('FC-80 FC-81 FC-82 FC-84 a flow runs at once and after each change', async () => {
    await developing(['--input', 'Where?'], async ({ seen, write, cwd, end }) => {
      await seen('run 1 (start)\n')
      await seen('Tone: calm\nrun 1 succeeded in ')
      await write('curt')
      await seen('run 2 (flows/a.json changed)\n')
      await seen('Tone: curt\nrun 2 succeeded in ')
      await writeFile(join(cwd, 'flows/a.json'), '{ "name": ')
      await write('kind')
      await seen('Tone: kind\nrun 3 succeeded in ')
      const { code, out } = await end()
      expect(code).toBe(130)
      expect(out).toMatch(/ {2}Prompt Template {2}\d+ ms\n/)
      expect(out).toMatch(/run 1 succeeded in \d+ ms, 12 tokens\n/)
    })
  })

  test('FC-80 FC-82 a change cancels the run, and the newest state runs', async () => {
    await developing(['--input', 'please wait', '--json'], async ({ seen, write, end }) => {
      await seen('"type":"event","run":1')
      await write('curt')
      await seen('"type":"end","run":1,"status":"cancelled"')
      await seen('"type":"run","run":2,"reason":"change","file":"flows/a.json"')
      const { code, out } = await end()
      expect(code).toBe(130)
      const kinds = out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type)
      expect(new Set(kinds)).toEqual(new Set(['run', 'event', 'end']))
    })
  })
})
