import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
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
  /** The address of its page. */
  readonly page: () => Promise<URL>
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
    const result = runCli(['dev', 'flows/a.json', '--port', '0', ...words], {
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
    const page = async (): Promise<URL> => {
      await seen('run 1')
      return new URL(/http:[^\s"]+/.exec(out)?.[0] ?? '')
    }
    const end = (): Promise<CliResult> => {
      interrupt.abort()
      return result
    }
    try {
      await use({ seen, page, write, cwd, end })
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
      expect(new Set(kinds)).toEqual(new Set(['listening', 'run', 'event', 'end']))
    })
  })

  test('FC-83 the page is for who knows its address, on this machine and from itself', async () => {
    await developing(['--input', 'Where?'], async ({ page }) => {
      const { origin, host, hash } = await page()
      const session = { path: '/session', method: 'POST', body: { token: hash.slice(1) } }
      const open = await ask(origin, { path: '/' })
      expect(open.status).toBe(200)
      expect(open.body).not.toContain(hash.slice(1))
      expect(open.headers['content-security-policy']).not.toContain('unsafe')
      for (const [headers, status] of [
        [{ host: 'evil.example' }, 403],
        [{ host, origin: 'http://evil.example' }, 403],
        [{ host, origin: 'null' }, 403],
        [{ host, origin }, 204],
      ] as const)
        expect((await ask(origin, { ...session, headers })).status).toBe(status)
      for (const body of [{ token: 'other' }, { token: 1 }, {}, []])
        expect((await ask(origin, { ...session, body })).status).toBe(401)
      for (const path of ['/events', '/run', '/other', '/../package.json'])
        expect((await ask(origin, { path, method: 'POST', body: {} })).status).toBe(401)
      expect((await ask(origin, { path: '/events' })).status).toBe(401)
    })
  })

  test('FC-83 the page hears the flow and its runs, also later, and starts one', async () => {
    await developing(['--input', 'Where?'], async ({ page, seen, end }) => {
      const { origin, hash } = await page()
      await seen('run 1 succeeded')
      const first = await ask(origin, {
        path: '/session',
        method: 'POST',
        body: { token: hash.slice(1) },
      })
      const [set = ''] = first.headers['set-cookie'] ?? []
      expect(set).toMatch(/; HttpOnly; SameSite=Strict$/)
      const headers = { cookie: set.split(';')[0] ?? '' }
      const started = { path: '/run', method: 'POST', headers, body: { input: 'And now?' } }
      expect((await ask(origin, started)).status).toBe(204)
      await seen('run 2 (input)')
      await seen('run 2 succeeded')
      expect((await ask(origin, { ...started, body: { input: 7 } })).status).toBe(400)
      expect((await ask(origin, { path: '/page.ts', headers })).status).toBe(404)
      const { body } = await ask(origin, { path: '/events', headers, isStream: true })
      await end()
      const messages = body.split('\n').flatMap((line) => {
        return line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as { type: string }] : []
      })
      expect(messages[0]).toEqual({ type: 'reset' })
      expect(messages[1]).toMatchObject({
        type: 'flow',
        nodes: expect.arrayContaining([
          { id: 'Prompt-main', name: 'Prompt Template', type: 'Prompt Template', x: 400, y: 0 },
        ]),
        edges: expect.arrayContaining([{ source: 'ChatInput-in', target: 'Prompt-main' }]),
      })
      expect(messages.filter(({ type }) => type === 'run')).toHaveLength(2)
      expect(messages).toContainEqual(
        expect.objectContaining({ type: 'end', run: 2, status: 'succeeded', tokens: 12 }),
      )
    })
  })

  test('FC-82 FC-83 without a page no port is opened, and a port that is taken is told', async () => {
    await developing(['--input', 'Where?'], async ({ page }) => {
      const { port } = await page()
      await inFolder(async (cwd) => {
        await writeFile(join(cwd, 'a.json'), JSON.stringify(changed({})))
        const taken = await runCli(['dev', 'a.json', '--port', port], { cwd })
        expect(taken).toEqual({
          code: 2,
          out: '',
          err: `x-flow dev: port ${port} cannot be used\n`,
        })
        const wrong = await runCli(['dev', 'a.json', '--port', 'x'], { cwd })
        expect(wrong.err).toBe('x-flow dev: option "--port" must be a port, got "x"\n')
      })
    })
    await developing(['--input', 'Where?', '--no-page'], async ({ seen, end }) => {
      await seen('run 1 succeeded')
      expect((await end()).out).not.toContain('http')
    })
  })
})

interface Asked {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Is read until the end of the second run. */
  readonly isStream?: boolean
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

async function ask(
  origin: string,
  { path, method = 'GET', headers = {}, body, isStream = false }: Asked,
): Promise<Answer> {
  const sent = request(`${origin}${path}`, { method, headers })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let read = ''
  for await (const part of answer.setEncoding('utf8')) {
    read += String(part)
    if (isStream && read.includes('"type":"end","run":2')) break
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: read }
}
