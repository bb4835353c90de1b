import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { joinSources } from '../../../tools/join-sources.mjs'
import { inFolder } from './start-server.ts'

const DEMO = fileURLToPath(new URL('../src/demo.ts', import.meta.url))
const JOINED = fileURLToPath(new URL('../dist/demo.js', import.meta.url))

test(
  'the demo shows a run, a user and a surface, and leaves nothing behind',
  {
    timeout: 60_000,
  },
  () =>
    inFolder(async (TMPDIR) => {
      const { PATH = '', HOME = '' } = process.env
      await joinSources(DEMO, JOINED)
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [JOINED], {
        env: { PATH, HOME, TMPDIR },
      })

      expect(stderr).toBe('')
      expect(stdout).toMatch(/^Run the flow "echo": .*hello/m)
      expect(stdout).toMatch(/^Provision a user: \{.*"userName":"ada@example\.com"/m)
      expect(stdout).toMatch(/^Stream a surface:\n\{"/m)
      expect(stdout).toContain('"beginRendering"')
      const left = (await readdir(TMPDIR)).filter((name) => name.startsWith('reference-demo-'))
      expect(left).toEqual([])
    }),
)
