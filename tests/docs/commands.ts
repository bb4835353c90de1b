import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'

/** Streams end by themselves after this time; a command that takes longer is given up. */
const STREAM_SECONDS = 3
const LIMIT_MS = 60_000

/**
 * What the commands of a page find in the shell: `curl` prints the status of each answer in a line of its
 * own and leaves streams after some seconds; `npm start` starts the joined server in any folder.
 */
const SHELL = String.raw`
curl() { command curl -s --max-time ${STREAM_SECONDS} -w '\nstatus %{http_code}\n' "$@" || [ $? = 28 ]; }
npm() { [ "$1" = start ] || return 0; shift; [ $# = 0 ] || shift; exec node "$SERVER" "$@"; }
`

export interface CommandOptions {
  /** Where the commands run. */
  readonly folder: string
  readonly environment?: Readonly<Record<string, string>>
  /** Parts of the commands and what a reader of the page writes in their place. */
  readonly replaced?: Readonly<Record<string, string>>
}

export interface Commands {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
  /** The statuses of the answers to `curl`. */
  readonly statuses: readonly number[]
}

function shellWith(code: string, { folder, environment = {}, replaced = {} }: CommandOptions) {
  const { PATH = '', HOME = '' } = process.env
  const script = Object.entries(replaced).reduce(
    (written, [part, value]) => written.replaceAll(part, value),
    code,
  )
  return spawn('bash', ['-euc', SHELL + script], {
    cwd: folder,
    env: { PATH, HOME, SERVER: inject('joinedServer'), PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
}

/** Runs a block of a page to its end. */
export async function runBlock(code: string, options: CommandOptions): Promise<Commands> {
  const child = shellWith(code, options)
  const watch = setTimeout(() => end(child.pid), LIMIT_MS)
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  clearTimeout(watch)
  const statuses = Array.from(stdout.matchAll(/^status (\d+)$/gm), ([, status]) => Number(status))
  return { stdout, stderr, code: exit, statuses }
}

/** Runs a block that starts a server, calls `use` with its address and ends it. */
export async function withBlock<T>(
  code: string,
  options: CommandOptions,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const child = shellWith(code, options)
  try {
    let output = ''
    const listening = new Promise<string>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        const url = /Listening on (http\S+)/.exec(output)?.[1]
        if (url !== undefined) resolve(url)
      })
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    })
    const url = await Promise.race([listening, once(child, 'close').then(() => null)])
    if (url === null) throw new Error(`Nothing listens: ${output}`)
    return await use(url)
  } finally {
    end(child.pid)
  }
}

/** Ends a shell and everything that it has started. */
function end(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** The statuses that a block announces: those of its comments, 2xx for the others. */
export function statusesIn(block: string): readonly RegExp[] {
  const commands = block.replaceAll('\\\n', ' ').split('\n')
  return commands
    .filter((line) => /^curl\b/.test(line))
    .map((line) => new RegExp(`^${/# (\d{3})\b/.exec(line)?.[1] ?? '2\\d\\d'}$`))
}
