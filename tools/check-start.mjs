// `npm start` in an empty folder: the server says where it listens, answers `/health`, and ends when it is told to.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'x-start-'))
const child = spawn(process.execPath, ['examples/reference-server/start.mjs'], {
  cwd: root,
  env: { ...process.env, HOST: '127.0.0.1', PORT: '0', SERVICE_CONFIG_DIR: folder },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const ended = once(child, 'close')
  const url = await Promise.race([
    new Promise((resolve) => {
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text
        const [, found] = /^ {2}open (\S+?)\/ {4}/m.exec(output) ?? []
        if (found !== undefined) resolve(found)
      })
    }),
    ended.then(([code]) => {
      throw new Error(`npm start ended with ${code}`)
    }),
  ])
  const answer = await fetch(`${url}/health`)
  console.log(`GET /health ${answer.status} ${await answer.text()}`)
  if (answer.status !== 200) process.exitCode = 1
  child.kill('SIGTERM')
  const [code] = await ended
  if (code !== 0) throw new Error(`npm start ended with ${code} on SIGTERM`)
} finally {
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
