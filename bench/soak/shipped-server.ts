import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Memory and handles of the server at one moment. */
export interface Holdings {
  /** Resident bytes. */
  readonly rss: number
  /** Bytes of the heap and of buffers, after a collection. */
  readonly heap: number
  /** Active handles and requests of the event loop. */
  readonly handles: number
  /** Open file descriptors; 0 where the system does not tell. */
  readonly files: number
}

/** The server of `npm start` in a process of its own. */
export interface ShippedServer {
  readonly url: string
  readonly key: string
  holdings(): Promise<Holdings>
  /** Lines that it has logged as errors. */
  readonly errors: readonly string[]
  stop(): Promise<void>
}

const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Starts it with these variables on a free port. */
export async function startShipped(
  environment: Readonly<Record<string, string>>,
): Promise<ShippedServer> {
  const { PATH = '', HOME = '' } = process.env
  const options = ['--expose-gc', '--import', program('probe.mjs')]
  const start = program('../../examples/reference-server/start.mjs')
  const child = spawn(process.execPath, [...options, start], {
    env: { PATH, HOME, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const errors: string[] = []
  let output = ''
  const listening = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${output}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      const text = chunk.toString()
      errors.push(...text.split('\n').filter((line) => line.includes('"level":"error"')))
      if (output.length < 10_000) output += text
      const url = /^ {2}open (\S+)\/ {4}/m.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  const url = await listening
  return {
    url,
    key: /^API key: (\S+)/m.exec(output)?.[1] ?? '',
    errors,
    async holdings() {
      const told = once(child, 'message') as Promise<[Omit<Holdings, 'files'>]>
      child.send('holdings')
      const [figures] = await told
      const folder = `/proc/${child.pid}/fd`
      return { ...figures, files: existsSync(folder) ? readdirSync(folder).length : 0 }
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
