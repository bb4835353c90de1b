const RESERVED: ReadonlySet<string> = new Set(
  (
    'abstract any arguments as async await boolean break case catch class const constructor continue ' +
    'debugger declare default delete do else enum eval export extends false finally for from function get ' +
    'if implements import in infer instanceof interface is keyof let module namespace never new null number ' +
    'object of package private protected public readonly require return satisfies set static string super ' +
    'switch symbol this throw true try type typeof undefined unique unknown using var void while with yield ' +
    'flow c more createFlow variable embedded'
  ).split(' '),
)
const LONGEST = 60

/** Identifiers for the names of nodes, each once. */
export class SourceNames {
  readonly #taken = new Set(RESERVED)

  /** The name in camel case, with a number where it is taken. */
  identifier(name: string, other = 'node'): string {
    const base = camelCase(name) ?? camelCase(other) ?? 'node'
    return this.#free(base, '')
  }

  #free(base: string, mark: string): string {
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? base : `${base}${mark}${number}`
      if (this.#taken.has(name)) continue
      this.#taken.add(name)
      return name
    }
  }
}

/** File names without their ending, each once whatever the case of its letters. */
export class FileNames {
  readonly #taken = new Set<string>()

  free(name: string): string {
    const base =
      name
        .slice(0, LONGEST)
        .replaceAll(/[^\w.-]+/g, '_')
        .replace(/^[-.]/, '_') || 'node'
    for (let number = 1; ; number += 1) {
      const free = number === 1 ? base : `${base}${number}`
      if (this.#taken.has(free.toLowerCase())) continue
      this.#taken.add(free.toLowerCase())
      return free
    }
  }
}

function camelCase(name: string): string | undefined {
  const plain = name
    .slice(0, 500)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
  const words = plain.match(/[A-Za-z0-9]+/g)
  if (words === null) return undefined
  const joined = words
    .map((word, index) =>
      index === 0 ? lowered(word) : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join('')
    .slice(0, LONGEST)
  return /^\d/.test(joined) ? `node${joined}` : joined
}

/** `ChatInput` as `chatInput`, `URL` as `url`, `APIRequest` as `apiRequest`. */
function lowered(word: string): string {
  return word.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase())
}
