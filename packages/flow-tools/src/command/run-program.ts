import { errorText } from '@x/flow-engine'
import { resolve } from 'node:path'
import { closest } from './closest.ts'
import { FoundError, UsageError, type Call, type Command, type Surroundings } from './command.ts'
import { commandHelp, generalHelp } from './help.ts'
import { loadConfig } from './load-config.ts'
import { parseCall } from './parse-call.ts'

/** A command whose code is loaded when it runs. */
export type LazyCommands = Readonly<Record<string, () => Promise<Command>>>

export interface Program {
  readonly version: string
  readonly commands: LazyCommands
}

/** Runs the words after `x-flow` and returns the exit code; never throws. */
export async function runProgram(
  { version, commands }: Program,
  words: readonly string[],
  around: Surroundings,
): Promise<number> {
  const [name, ...rest] = words
  if (name === '--version') {
    around.out(`${version}\n`)
    return 0
  }
  if (name === undefined || name === '--help' || name === 'help') {
    const all = await Promise.all(Object.values(commands).map((load) => load()))
    around.out(generalHelp(all))
    return 0
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load === undefined) {
    around.err(`x-flow: ${unknownCommand(name, Object.keys(commands))}\n`)
    return 2
  }
  return runCommand(await load(), rest, around)
}

function unknownCommand(name: string, names: readonly string[]): string {
  if (name.startsWith('-')) {
    const near = closest(name.replace(/^-+/, ''), ['help', 'version'])
    return `unknown option "${name}"${near === undefined ? '' : `. Did you mean "--${near}"?`}`
  }
  const near = closest(name, names)
  const hint =
    near === undefined ? `. Commands: ${names.toSorted().join(', ')}` : `. Did you mean "${near}"?`
  return `unknown command "${name}"${hint}`
}

async function runCommand(
  command: Command,
  words: readonly string[],
  around: Surroundings,
): Promise<number> {
  const isDebug = words.includes('--debug')
  try {
    const { args, options } = parseCall(command, words)
    if (options.has('help')) {
      around.out(commandHelp(command))
      return 0
    }
    const call: Call = {
      ...around,
      cwd: resolve(around.cwd, options.get('cwd')?.at(-1) ?? '.'),
      command: command.name,
      args,
      json: options.has('json'),
      isOn: (option) => options.has(option),
      text: (option) => options.get(option)?.at(-1),
      texts: (option) => options.get(option) ?? [],
      print: (line) => around.out(`${line}\n`),
      summary: (line) => {
        if (!options.has('quiet') && !options.has('json')) around.out(`${line}\n`)
      },
      note: (line) => around.err(`${line}\n`),
    }
    if (command.takesFlows !== true || args.length > 0) return await command.run(call)
    const { flows = [] } = await loadConfig(call)
    return await command.run({ ...call, args: flows })
  } catch (error) {
    if (around.signal.aborted) return 130
    const text = errorText(error).replaceAll(/\s*\n\s*/g, ' ')
    around.err(`x-flow ${command.name}: ${text}\n`)
    if (isDebug && error instanceof Error) around.err(`${error.stack ?? ''}\n`)
    if (error instanceof UsageError) return 2
    return error instanceof FoundError ? 1 : 2
  }
}
