import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createScriptedModel } from '@x/flow-engine/testing'
import { answer } from '../src/answer.ts'

const HERE = fileURLToPath(new URL('..', import.meta.url))
const ROOT = join(HERE, '../..')
const X_FLOW = join(ROOT, 'packages/flow-tools/src/main.ts')

interface Checkout {
  readonly folder: string
  /** What a command prints. @throws with its output if it fails */
  readonly run: (command: string, ...parameters: readonly string[]) => string
}

/** A copy of this folder in a repository of its own, below `path`, with `x-flow` as `npx` would find it. */
async function checkout<T>(use: (made: Checkout) => Promise<T>, path = '.'): Promise<T> {
  const base = await mkdtemp(join(tmpdir(), 'flows-as-code-'))
  try {
    const folder = join(base, 'repository', path)
    await mkdir(folder, { recursive: true })
    await cp(HERE, folder, {
      recursive: true,
      filter: (from) => !/node_modules|starter\.test|changes/.test(from.slice(HERE.length)),
    })
    const bin = join(base, 'bin')
    await mkdir(bin)
    const tsx = pathToFileURL(join(ROOT, 'node_modules/tsx/dist/esm/index.mjs')).href
    const program = `"${process.execPath}" --import "${tsx}" --conditions=@x/source "${X_FLOW}"`
    // The compiler and the runner see this folder in the checks of this repository.
    const npx = `#!/bin/sh\nname=$1; shift\nif [ "$name" = x-flow ]; then exec ${program} "$@"; fi\necho "$name $*" >> "${base}/others"\n`
    await writeFile(join(bin, 'npx'), npx)
    await chmod(join(bin, 'npx'), 0o755)
    const env = {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      BASE: 'main',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
    }
    const run: Checkout['run'] = (command, ...parameters) =>
      execFileSync(command, parameters, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
    run('git', 'init', '-q', '-b', 'main', join(base, 'repository'))
    for (const [name, value] of [
      ['user.name', 'a'],
      ['user.email', 'a@example.com'],
    ] as const)
      run('git', 'config', name, value)
    const commit = ['-c', 'commit.gpgsign=false', 'commit', '-qam', 'All'] as const
    run('git', 'add', '.')
    run('git', ...commit)
    return await use({ folder, run })
  } finally {
    await rm(base, { recursive: true, force: true })
  }
}

async function rewrite(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  expect(text).toContain(from)
  await writeFile(path, text.replace(from, to))
}

describe('a repository with flows', () => {
  test('FC-12 the flow answers with types', async () => {
    const model = createScriptedModel(['Tomorrow.'])
    expect(await answer('Where is it?', { tone: 'calm', models: model })).toBe('Tomorrow.')
  })

  test(
    'FC-110 FC-111 FC-112 the script of the pull request comments what changed, wherever the folder lies',
    { tags: ['long'] },
    async () => {
      await checkout(async ({ folder, run }) => {
        const flow = join(folder, 'flows/support.json')
        await rewrite(flow, '"value": "Machine"', '"value": "User"')
        run('sh', 'ci.sh')
        const comment = await readFile(join(folder, 'changes/comment.md'), 'utf8')
        expect(comment).toContain('1 node changed')
        expect(comment).toContain('Machine')
        const picture = await readFile(join(folder, 'changes/support.svg'), 'utf8')
        expect(picture).toContain('data-state="changed"')
        expect(await readFile(join(folder, '../../../others'), 'utf8')).toBe(
          'tsc --noEmit\nvitest run\n',
        )

        await rewrite(flow, '"display_name": "Prompt Template"', '"display_name": "Prompt"')
        expect(() => run('sh', 'ci.sh')).toThrow(
          expect.objectContaining({
            status: 1,
            stdout: expect.stringContaining('flows/support.json: error stale_types: '),
          }),
        )
      }, 'packages/web')
    },
  )

  test(
    'FC-70 FC-112 two branches that change two fields of one node merge by themselves',
    { tags: ['long'] },
    async () => {
      await checkout(async ({ folder, run }) => {
        run('npx', 'x-flow', 'merge', '--install')
        expect(run('git', 'diff', '--stat')).toBe('')
        const flow = join(folder, 'flows/support.json')
        const change = async (branch: string, from: string, to: string): Promise<void> => {
          run('git', 'checkout', '-qb', branch, 'main')
          await rewrite(flow, from, to)
          run('git', 'commit', '-qam', branch)
        }
        await change('ours', '"value": "Machine"', '"value": "User"')
        await change('theirs', '"value": "AI"', '"value": "Bot"')
        run('git', 'merge', '-q', '--no-edit', 'ours')
        const merged = await readFile(flow, 'utf8')
        expect(merged).toContain('"value": "User"')
        expect(merged).toContain('"value": "Bot"')
      })
    },
  )
})
