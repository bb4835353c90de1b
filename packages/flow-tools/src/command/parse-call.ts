import { append } from '@x/wire'
import { closest } from './closest.ts'
import { UsageError, type Command, type OptionSpec } from './command.ts'

/** Options that every command has. */
export const COMMON: readonly OptionSpec[] = [
  { name: 'json', text: 'print one JSON document', fallback: 'text' },
  { name: 'cwd', value: 'DIR', text: 'the folder to work in', fallback: 'the current one' },
  { name: 'quiet', text: 'leave out the summary line', fallback: 'off' },
  { name: 'debug', text: 'show where errors come from', fallback: 'off' },
  { name: 'help', text: 'print this text', fallback: 'off' },
]

export interface ParsedCall {
  readonly args: readonly string[]
  readonly options: ReadonlyMap<string, readonly string[]>
}

/**
 * Reads the words after the name of a command.
 * @throws UsageError for an option that it does not have, or without its value
 */
export function parseCall(command: Command, words: readonly string[]): ParsedCall {
  const specs = new Map([...command.options, ...COMMON].map((option) => [option.name, option]))
  const options = new Map<string, string[]>()
  const args: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '--') {
      append(args, words.slice(at + 1))
      break
    }
    if (!word.startsWith('--')) {
      if (/^-[^-]/.test(word)) throw unknownOption(word, [...specs.keys()])
      args.push(word)
      continue
    }
    const equals = word.indexOf('=')
    const name = word.slice(2, equals === -1 ? undefined : equals)
    const spec = specs.get(name)
    if (spec === undefined) throw unknownOption(`--${name}`, [...specs.keys()])
    const given = equals === -1 ? undefined : word.slice(equals + 1)
    if (spec.value === undefined && given !== undefined)
      throw new UsageError(`option "--${name}" takes no value`)
    let value = given ?? ''
    if (spec.value !== undefined && given === undefined) {
      const next = words[at + 1]
      if (next === undefined || (next.startsWith('--') && next !== '--'))
        throw new UsageError(`option "--${name}" needs a value: --${name} ${spec.value}`)
      value = next
      at += 1
    }
    options.set(name, [...(options.get(name) ?? []), value])
  }
  return { args, options }
}

function unknownOption(word: string, names: readonly string[]): UsageError {
  const near = closest(word.replace(/^-+/, ''), names)
  const hint = near === undefined ? '' : `. Did you mean "--${near}"?`
  return new UsageError(`unknown option "${word}"${hint}`)
}
