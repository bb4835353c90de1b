import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'
import { measuredProcess, type ServerProcess } from './server-process.ts'

const START_SECONDS = 60
const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Where a shipped server keeps its data and its log, and what differs from default settings. */
export interface ShippedOptions {
  /** The config directory. */
  readonly folder: string
  /** The file that its log goes to. */
  readonly log: string
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * The server of `npm start` in a process of its own, once it is ready. `BENCH_CPU_PROF=FOLDER` writes a CPU
 * profile there when it ends.
 */
export async function startShipped({
  folder,
  log: path,
  environment,
}: ShippedOptions): Promise<ServerProcess> {
  const { PATH = '', HOME = '', BENCH_CPU_PROF: profiles } = process.env
  const port = await freePort()
  const log = createWriteStream(path)
  await once(log, 'open')
  const child = spawn(
    process.execPath,
    [
      ...(profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]),
      '--import',
      program('usage-probe.mjs'),
      program('../../examples/reference-server/start.mjs'),
    ],
    {
      env: {
        PATH,
        HOME,
        NODE_ENV: 'production',
        PORT: String(port),
        SERVICE_CONFIG_DIR: folder,
        ...environment,
      },
      stdio: ['ignore', log, 'inherit', 'ipc'],
    },
  )
  await isUp(port)
  return measuredProcess(child, port)
}

async function isUp(port: number): Promise<void> {
  for (let tenths = 0; tenths < START_SECONDS * 10; tenths += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
    if (answer?.ok === true) return
    await setTimeout(100)
  }
  throw new Error(`The shipped server is not ready after ${START_SECONDS} s`)
}
