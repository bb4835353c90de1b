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

/** Names, each once: with a number where one is taken. */
class FreeNames {
  readonly #taken: Set<string>
  /** The next number to try, by name. */
  readonly #next = new Map<string, number>()

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  free(base: string, keyOf: (name: string) => string = (name) => name): string {
    for (let number = this.#next.get(keyOf(base)) ?? 1; ; number += 1) {
      const name = number === 1 ? base : `${base}${number}`
      this.#next.set(keyOf(base), number + 1)
      if (this.#taken.has(keyOf(name))) continue
      this.#taken.add(keyOf(name))
      return name
    }
  }
}

/** Identifiers for the names of nodes, each once. */
export class SourceNames {
  readonly #names = new FreeNames(RESERVED)

  /** The name in camel case, with a number where it is taken. */
  identifier(name: string, other = 'node'): string {
    return this.#names.free(camelCase(name) ?? camelCase(other) ?? 'node')
  }
}

/** File names without their ending, each once whatever the case of its letters. */
export class FileNames {
  readonly #names = new FreeNames()

  free(name: string): string {
    const plain = name.slice(0, LONGEST).replaceAll(/[^\w.-]+/g, '_')
    return this.#names.free(plain.replace(/^[-.]/, '_') || 'node', (file) => file.toLowerCase())
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
