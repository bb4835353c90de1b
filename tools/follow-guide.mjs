// Follows docs/guides/scim-own-tables.md word by word, with the packed packages in the place of published
// ones: its commands in a new folder, its files, its server, and its requests.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { root } from './sources.mjs'

const GUIDE = 'docs/guides/scim-own-tables.md'
const START_SECONDS = 60

/** `tarballs` gives the path of the tarball of each package. Throws when a command of the guide fails. */
export async function followGuide(scratch, tarballs) {
  const folder = join(scratch, 'guide')
  mkdirSync(folder)
  const port = await freePort()
  const text = readFileSync(join(root, GUIDE), 'utf8').replaceAll('3000', String(port))
  const [install, start, requests] = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code)
  for (const [, name, code] of text.matchAll(/The file `([\w.]+)`.*?```ts[^\n]*\n(.*?)```/gs)) {
    writeFileSync(join(folder, name), code)
  }
  const packed = Object.entries(tarballs).reduce(
    (command, [name, file]) => command.replaceAll(name, file),
    install,
  )
  shell(
    folder,
    packed.replaceAll('npm install', 'npm install --no-audit --no-fund --prefer-offline'),
  )

  const server = spawn('bash', ['-c', start], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    await isUp(port, server)
    const answers = shell(folder, requests).replaceAll('}{', '}\n{').trim().split('\n')
    const [user, byName, byId, group, groups] = answers.map((answer) => JSON.parse(answer))
    const expected = [byName.Resources[0].id, byId.Resources[0].id].every((id) => id === user.id)
    if (!expected || groups.Resources[0].id !== group.id) throw new Error(answers.join('\n'))
  } finally {
    if (server.exitCode === null && server.pid !== undefined) process.kill(-server.pid)
  }
}

function shell(folder, command) {
  return execFileSync('bash', ['-euc', command], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function isUp(port, server) {
  for (let tenths = 0; tenths < START_SECONDS * 10; tenths += 1) {
    if (server.exitCode !== null) throw new Error(`The server of ${GUIDE} ended`)
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answer !== undefined) return
    await setTimeout(100)
  }
  throw new Error(`The server of ${GUIDE} does not listen after ${START_SECONDS} s`)
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
