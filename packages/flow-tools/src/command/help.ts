import type { Command, OptionSpec } from './command.ts'
import { COMMON } from './parse-call.ts'

const WIDTH = 80

/** The text of `x-flow --help`. */
export function generalHelp(commands: readonly Command[]): string {
  const longest = widest(commands.map(({ name }) => name))
  return lines([
    'x-flow treats flows as code: types, tests, differences, merges.',
    '',
    'Usage: x-flow <command> [arguments] [options]',
    '',
    'Commands:',
    ...commands.flatMap(({ name, purpose }) => columns(name, purpose, longest)),
    '',
    'Options:',
    ...optionLines([...COMMON, { name: 'version', text: 'print the version', fallback: 'off' }]),
    '',
    ...EXIT_CODES('the work was done and found something'),
    '',
    'Example:',
    '  x-flow types flows',
    '',
    'x-flow <command> --help says more about one command.',
  ])
}

/** The text of `x-flow <command> --help`. */
export function commandHelp({ name, purpose, usage, options, found, example }: Command): string {
  return lines([
    ...wrap(`x-flow ${name}: ${purpose}`, WIDTH),
    '',
    ...usage.map((use, at) => `${at === 0 ? 'Usage: ' : '       '}x-flow ${name} ${use}`),
    '',
    'Options:',
    ...optionLines([...options, ...COMMON]),
    '',
    ...EXIT_CODES(found),
    '',
    'Example:',
    `  ${example}`,
  ])
}

const EXIT_CODES = (found: string): string[] => [
  'Exit codes:',
  '  0    done, nothing to complain of',
  ...columns('1', found, 3),
  '  2    wrong use or unreadable input; nothing was written',
  '  130  interrupted',
]

function optionLines(options: readonly OptionSpec[]): string[] {
  const names = options.map(
    ({ name, value }) => `--${name}${value === undefined ? '' : ` ${value}`}`,
  )
  const longest = widest(names)
  return options.flatMap(({ text, fallback }, at) =>
    columns(names[at] ?? '', `${text} (default: ${fallback ?? 'none'})`, longest),
  )
}

function columns(name: string, text: string, width: number): string[] {
  return wrap(text, WIDTH - width - 4).map((line, at) =>
    `  ${(at === 0 ? name : '').padEnd(width)}  ${line}`.trimEnd(),
  )
}

function wrap(text: string, width: number): string[] {
  const made: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      made.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...made, line]
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`

const widest = (names: readonly string[]): number =>
  names.reduce((most, { length }) => Math.max(most, length), 0)
