import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { needs } from '@x/test-kit/needs'
import { expect, test } from 'vitest'
import { inFolder } from '../server/start-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test(
  'OP-21 benchmark output becomes one page of tables with ratios, machine, date and commit',
  needs('git'),
  () =>
    inFolder(async (folder) => {
      const figures = [
        {
          name: 'run: times less CPU',
          value: 61,
          unit: 'x',
          limit: 60,
          better: 'higher',
          ok: true,
        },
        { name: 'build: a | b', value: 49.5, unit: 'x', limit: 50, better: 'higher', ok: false },
        { name: 'resident memory', value: 120, unit: 'MiB', note: 'ours', ok: true },
      ]
      const printed = join(folder, 'flow.log')
      const line = JSON.stringify({ bench: 'flow-http', node: 'v20.0.0', figures })
      await writeFile(printed, `a table for people\n${line}\n`)
      const out = join(folder, 'performance.md')
      const args = ['--import', 'tsx', 'bench/all.ts', '--from', printed]
      const run = promisify(execFile)
      await run(process.execPath, [...args, '--out', pathToFileURL(out).href], { cwd: root })
      const page = await readFile(out, 'utf8')
      expect(page).toContain('## flow-http')
      expect(page).toContain('| run: times less CPU | 61 x | >= 60 | ok |  |')
      expect(page).toContain('| build: a \\| b | 49.5 x | >= 50 | missed |  |')
      expect(page).toContain('| resident memory | 120 MiB |  |  | ours |')
      expect(page).toMatch(/\| date \| \d{4}-\d\d-\d\d \|/)
      expect(page).toMatch(/\| commit \| [0-9a-f]{7,} \|/)
      expect(page).toMatch(/\| machine \| \d+ x .+ GiB \|/)
      expect(page).toContain('| figures that miss their limit | 1 |')
    }),
)
