import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** An example in a child process, started as its README says. */
export interface Example {
  readonly url: string
  /** Stops it and waits for its end. */
  stop(): Promise<void>
}

/**
 * Starts `src/main.ts` of an example on a free port and waits for the line that tells its address.
 * @throws when the process ends before it
 */
export async function startExample(
  folder: URL,
  environment: Readonly<Record<string, string>> = {},
): Promise<Example> {
  const main = fileURLToPath(new URL('src/main.ts', folder))
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=@x/source', main], {
    env: { PATH, HOME, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = once(child, 'exit')
  const listening = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const url = /Listening on (\S+)/.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const url = await Promise.race([listening, ended.then(() => null)])
  if (url === null) throw new Error(`The example has not started: ${output}`)
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
