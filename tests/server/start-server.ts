import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

/** The program of `npm start`: it joins the sources before it starts them. */
export const START = fileURLToPath(
  new URL('../../examples/reference-server/start.mjs', import.meta.url),
)

export type Environment = Readonly<Record<string, string>>

/** A reference server in a process of its own. */
export interface Started {
  readonly url: string
  /** Id of its process. */
  readonly pid: number
  /** Everything it has printed up to now. */
  output(): string
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** The output and exit code of a process that stopped by itself. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(
  environment: Environment,
  parameters: readonly string[] = [],
  program = inject('joinedServer'),
): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  return spawn(process.execPath, [program, ...parameters], {
    env: { PATH, HOME, HOST: '127.0.0.1', PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/**
 * Starts the server with these variables and waits for its start message; from one file that is
 * joined already unless another program is named.
 * @throws when the process ends before it
 */
export async function startServer(environment: Environment, program?: string): Promise<Started> {
  const child = run(environment, [], program)
  let output = ''
  // With the end of its output, which may come later than its exit.
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const listening = new Promise<string>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const url = /^ {2}open (\S+)\/ {4}.*\n/m.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const url = await Promise.race([listening, ended.then(() => null)])
  if (url === null) throw new Error(`The server has not started: ${output}`)
  return {
    url,
    pid: child.pid ?? 0,
    output: () => output,
    async end(signal) {
      child.kill(signal)
      const [code, by] = await ended
      return { code, signal: by }
    },
  }
}

/** Runs the server until it stops by itself. */
export async function runToEnd(
  environment: Environment,
  parameters: readonly string[] = [],
): Promise<Ended> {
  const child = run(environment, parameters)
  const texts = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...texts }
}

/** Calls `use` with a folder that is gone afterwards. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'reference-server-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
