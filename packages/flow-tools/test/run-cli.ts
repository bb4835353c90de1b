import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commands } from '../src/commands/index.ts'
import { runProgram } from '../src/command/run-program.ts'

// Loaded before the tests, whose time it does not count to.
await Promise.all(Object.values(commands).map((load) => load()))

export interface CliResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface CliOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** What a person types. */
  readonly lines?: () => AsyncGenerator<string>
  readonly signal?: AbortSignal
  readonly onOut?: (text: string) => void
}

/** Runs the program of the command in this process. */
export async function runCli(words: readonly string[], options: CliOptions): Promise<CliResult> {
  const out: string[] = []
  const err: string[] = []
  const code = await runProgram({ version: '0.0.0', commands }, words, {
    cwd: options.cwd,
    env: options.env ?? {},
    out: (text) => {
      out.push(text)
      options.onOut?.(text)
    },
    err: (text) => err.push(text),
    stdin: () => Promise.resolve(options.stdin ?? ''),
    ...(options.lines === undefined ? {} : { lines: options.lines, isTerminal: true }),
    signal: options.signal ?? new AbortController().signal,
  })
  return { code, out: out.join(''), err: err.join('') }
}

/** A folder that is removed afterwards. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-tools-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
