import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { joinBuilt } from '../../tools/join-built.mjs'

/** A host of built packages, in a process of its own. */
export interface BuiltHost {
  readonly url: string
  readonly pid: number
  /** Calls a function of the host. @throws Error with the answer where the function throws */
  call<T>(name: string, body?: RequestInit['body']): Promise<T>
}

/**
 * One process for all tests of a file: a program of this folder whose imports of packages reach what
 * their builds give, as in an application.
 */
export function useBuiltHost(
  program: string,
  packages: readonly string[],
  parameters: () => readonly string[] = () => [],
): () => BuiltHost {
  let host: BuiltHost | undefined
  let stop = async (): Promise<void> => undefined
  beforeAll(async () => {
    const source = fileURLToPath(new URL(program, import.meta.url))
    const joined = await joinBuilt(source, packages)
    const child = spawn(process.execPath, [joined, ...parameters()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    stop = async () => {
      child.kill('SIGKILL')
      await ended
    }
    const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
    const first = await Promise.race([line, ended.then(() => null)])
    if (first === null) throw new Error(`${program} has ended`)
    const [url] = first
    host = {
      url,
      pid: child.pid ?? 0,
      async call<T>(name: string, body: RequestInit['body'] = '') {
        const init = { method: 'POST', body, duplex: 'half' } as RequestInit
        const answer = await fetch(`${url}/${name}`, init)
        if (!answer.ok) throw new Error(`${name} answers ${answer.status}: ${await answer.text()}`)
        return (await answer.json()) as T
      },
    }
  })
  afterAll(() => stop())
  return () => {
    if (host === undefined) throw new Error('The host is not started yet')
    return host
  }
}
