/** An option of a command. */
export interface OptionSpec {
  readonly name: string
  /** The name of its value; absent for a switch. */
  readonly value?: string
  readonly text: string
  /** As help shows it. */
  readonly fallback?: string
}

/** Streams and surroundings, so that tests run commands without a process. */
export interface Surroundings {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  out(text: string): void
  err(text: string): void
  stdin(): Promise<string>
  /** The lines of stdin as they come. */
  lines?(): AsyncGenerator<string>
  /** Whether a person types what stdin gives. */
  readonly isTerminal?: boolean
  /** Aborted by an interrupt. */
  readonly signal: AbortSignal
}

/** One call of a command. */
export interface Call extends Surroundings {
  /** As the user writes it, such as `types`. */
  readonly command: string
  readonly args: readonly string[]
  readonly json: boolean
  isOn(option: string): boolean
  text(option: string): string | undefined
  texts(option: string): readonly string[]
  /** A line on stdout. */
  print(line: string): void
  /** The last line of a command, left out with `--quiet`. */
  summary(line: string): void
  /** A line on stderr. */
  note(line: string): void
}

export interface Command {
  readonly name: string
  /** One sentence. */
  readonly purpose: string
  readonly usage: readonly string[]
  readonly options: readonly OptionSpec[]
  /** What the exit code 1 says, after `1  `. */
  readonly found: string
  readonly example: string
  /** Its arguments are the configuration's `flows` if there are none. Default false. */
  readonly takesFlows?: true
  /** @returns the exit code */
  run(call: Call): Promise<number>
}

/** Wrong use or unreadable input: exit code 2, and nothing was written. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A problem that a command found: exit code 1. */
export class FoundError extends Error {
  override readonly name = 'FoundError'
}
