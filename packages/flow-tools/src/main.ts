import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { commands } from './commands/index.ts'
import { runProgram } from './command/run-program.ts'

const interrupt = new AbortController()
const stop = (): void => {
  interrupt.abort()
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
// A reader that has enough, such as head, ends the program quietly.
process.stdout.on('error', () => undefined)

process.exitCode = await runProgram({ version: versionOf(), commands }, process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  stdin: async () => {
    const parts: Buffer[] = []
    for await (const part of process.stdin) parts.push(part as Buffer)
    return Buffer.concat(parts).toString('utf8')
  },
  async *lines() {
    const reader = createInterface({ input: process.stdin, signal: interrupt.signal })
    yield* reader
  },
  isTerminal: process.stdin.isTTY,
  signal: interrupt.signal,
})
process.off('SIGINT', stop)
process.off('SIGTERM', stop)

function versionOf(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return String((manifest as { version: unknown }).version)
}
