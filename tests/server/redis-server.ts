import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './free-port.ts'

/** A Redis of one test, which can go away and come back. */
export interface RedisServer {
  readonly url: string
  stop(): Promise<void>
  /** Starts it again at the same address: empty, or with what its folder has. */
  start(): Promise<void>
}

/** @param folder keeps each write; without one a Redis forgets all when it goes */
export async function startRedis(folder?: string): Promise<RedisServer> {
  const port = await freePort()
  let child: ChildProcess | undefined
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const args = ['--bind', '127.0.0.1', '--port', String(port), '--save', '']
      if (folder !== undefined)
        args.push('--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always')
      child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] })
      for await (const text of child.stdout ?? [])
        if (String(text).includes('Ready to accept')) break
    },
    async stop() {
      if (child === undefined) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      child = undefined
    },
  }
  await server.start()
  return server
}
