// Follows a page of docs/frameworks in the folder of an app that has installed what the page says: writes its
// files, runs its test, starts it by its command, and sends it what directories, clients and renderers send.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { root } from './sources.mjs'

const START_SECONDS = 300
/** A block behind a line that ends in the name of its file. */
export const FILE = /`([\w./[\]$+()-]+\.(?:[cm]?[jt]sx?|json))`[^`\n]*:\n\n```\w+[^\n]*\n(.*?)```/gs

/** The files of a page by their paths; blocks of one file follow each other. */
export function filesOf(text) {
  const files = new Map()
  for (const [, path, code] of text.matchAll(FILE))
    files.set(path, files.has(path) ? `${files.get(path)}\n${code}` : code)
  return files
}

/** The commands of a page: what it installs, and how it is started. */
function commandsOf(text) {
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code.trim())
  const [start] = blocks.filter((code) => !code.startsWith('npm install'))
  const installed = blocks
    .flatMap((code) => code.split('\n'))
    .flatMap((line) => /^npm install (?:--save-dev )?(.*)$/.exec(line)?.[1].split(' ') ?? [])
  return { start, installed }
}

/** Throws when the page names a package that the app lacks, or when an answer is not the expected one. */
export async function followPage(page, folder, { start, without = '' }) {
  const port = await freePort()
  const text = readFileSync(join(root, page), 'utf8').replaceAll('3000', String(port))
  const commands = commandsOf(text)
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  for (const name of commands.installed)
    if (!(name in dependencies) && !(name in devDependencies))
      throw new Error(`${page}: the app of the check lacks ${name}`)
  for (const [path, code] of filesOf(text)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), code)
  }
  await withServer(start ?? commands.start, folder, port, () => {
    const tests = [...readdirSync(folder), ...filesOf(text).keys()]
      .filter((path) => path.endsWith('.test.mjs'))
      .filter((path, index, all) => all.indexOf(path) === index)
    const environment = { BASE: `http://127.0.0.1:${port}`, WITHOUT: without }
    shell(folder, `node --test journey.mjs ${tests.join(' ')}`, environment)
  })
}

/** Calls `use` while a command runs that listens on a port; ends it afterwards. */
export async function withServer(command, cwd, port, use) {
  const server = spawn('bash', ['-c', command], {
    cwd,
    detached: true,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk) => (output += chunk))
  try {
    await isUp(port, server)
    return await use()
  } catch (error) {
    throw new Error(`${error.stdout ?? error.message}\n${command} printed: ${output}`, {
      cause: error,
    })
  } finally {
    if (server.exitCode === null && server.pid !== undefined) process.kill(-server.pid)
  }
}

export function shell(folder, command, environment = {}) {
  return execFileSync('bash', ['-euc', command], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function isUp(port, server) {
  for (let tenths = 0; tenths < START_SECONDS * 10; tenths += 1) {
    if (server.exitCode !== null) throw new Error('The server ended')
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answer !== undefined) return
    await setTimeout(100)
  }
  throw new Error(`Nothing listens after ${START_SECONDS} s`)
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
