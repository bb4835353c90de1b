import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromServer, ToServer, Usage } from './report-usage.ts'

/** A server in a process of its own, whose CPU time and memory can be asked for. */
export interface ServerProcess {
  readonly port: number
  /** CPU microseconds (user + system) since its start and its resident memory in bytes, now. */
  usage(): Promise<Usage>
  /** CPU microseconds that the server spent while `work` ran. */
  cpuOf(work: () => Promise<unknown>): Promise<number>
  stop(): Promise<void>
}

const FROM_SOURCES = ['--import', 'tsx', '--conditions=@x/source']

/** Options of a measured server. */
export interface ServerProcessOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Further options of node, such as `--expose-gc`. */
  readonly execArgv?: readonly string[]
}

/**
 * Starts a file that calls `reportUsage` once its server listens. Of a TypeScript file the workspace
 * packages resolve to their sources; a JavaScript file runs without any loader.
 */
export async function startServer(
  script: URL,
  { args = [], env = {}, execArgv = [] }: ServerProcessOptions = {},
): Promise<ServerProcess> {
  const loader = script.pathname.endsWith('.ts') ? FROM_SOURCES : []
  const child = fork(fileURLToPath(script), [...args], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    execArgv: [...loader, ...execArgv],
  })
  const { port } = await reply(child, 'listening')
  return measuredProcess(child, port)
}

/** A process that serves on a port and answers questions for its usage (`reportUsage`, `usage-probe.mjs`). */
export function measuredProcess(child: ChildProcess, port: number): ServerProcess {
  const usage = async (): Promise<Usage> => {
    const answer = reply(child, 'usage')
    child.send({ kind: 'usage' } satisfies ToServer)
    return answer
  }

  return {
    port,
    usage,
    async cpuOf(work) {
      const before = await usage()
      await work()
      return (await usage()).cpu - before.cpu
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
    },
  }
}

/** The next message of one kind; rejects when the process ends before it. */
async function reply<K extends FromServer['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<FromServer, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    const onMessage = (message: FromServer): void => {
      if (message.kind !== kind) return
      stop()
      resolve(message as Extract<FromServer, { kind: K }>)
    }
    const onExit = (code: number | null): void => {
      stop()
      reject(new Error(`The measured server ended with ${code} before it said ${kind}`))
    }
    child.on('message', onMessage)
    child.once('exit', onExit)
  })
}
