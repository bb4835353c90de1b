const MOST_RUNS = 20
/** Of one run, in characters: what follows is shown while it happens, and not to those who come later. */
const MOST_TEXT = 2 << 20

interface LoggedRun {
  readonly texts: string[]
  length: number
}

/** What a page that opens later must hear: the flow as it is, and the last runs. */
export class DevLog {
  #flow = ''
  #note = ''
  readonly #runs = new Map<unknown, LoggedRun>()

  /** @returns the message as text */
  add(message: Readonly<Record<string, unknown>>): string {
    const text = JSON.stringify(message)
    const { type, run } = message
    if (type === 'flow') this.#flow = text
    else if (run === undefined) this.#note = text
    if (type === 'flow' || type === 'run') this.#note = ''
    if (type === 'run') this.#begin(run)
    const logged = this.#runs.get(run)
    if (logged !== undefined && (type !== 'event' || logged.length + text.length < MOST_TEXT)) {
      logged.texts.push(text)
      logged.length += text.length
    }
    return text
  }

  texts(): string[] {
    const runs = [...this.#runs.values()].flatMap(({ texts }) => texts)
    return [this.#flow, ...runs, this.#note].filter((text) => text !== '')
  }

  #begin(run: unknown): void {
    this.#runs.set(run, { texts: [], length: 0 })
    for (const old of [...this.#runs.keys()].slice(0, -MOST_RUNS)) this.#runs.delete(old)
  }
}
