import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { joinSources } from '../../tools/join-sources.mjs'
import { terminalPicture } from '../../tools/terminal-picture.mjs'
import { inFolder } from '../server/start-server.ts'

const DEMO = fileURLToPath(new URL('../../examples/reference-server/src/demo.ts', import.meta.url))
const JOINED = fileURLToPath(
  new URL('../../examples/reference-server/dist/demo.js', import.meta.url),
)
const PICTURE = new URL('../../docs/images/demo.svg', import.meta.url)

test('the demo shows a run, a user and a surface, and leaves no files behind', () =>
  inFolder(async (TMPDIR) => {
    const { PATH = '', HOME = '' } = process.env
    await joinSources(DEMO, JOINED)
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [JOINED], {
      env: { PATH, HOME, TMPDIR },
    })

    expect(stderr).toBe('')
    expect(stdout).toMatch(/POST \/api\/v1\/run\/echo\n {2}> You said: hello\n/)
    expect(stdout).toMatch(/chat\/completions\n {2}> You said: hello\n/)
    expect(stdout).toMatch(/streamable\n {2}> echo: Says a message again\.\n/)
    expect(stdout).toMatch(/Users\n {2}> 201 ada@example\.com, active\n/)
    expect(stdout).toMatch(/Users\/\{id\}\n {2}> 200 ada@example\.com, deactivated\n/)
    expect(stdout).toMatch(/stream\n {2}> \{"surfaceUpdate"/)
    expect(stdout).toContain('"beginRendering"')
    const left = (await readdir(TMPDIR)).filter((name) => name.startsWith('reference-demo-'))
    expect(left).toEqual([])
    // The picture of the README: `npm run docs:screenshots` draws it again.
    expect(terminalPicture('npm run demo', stdout)).toBe(await readFile(PICTURE, 'utf8'))
  }))
