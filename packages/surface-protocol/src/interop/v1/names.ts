import { isIdentifier } from '../../data/identifier.ts'

/** Ids of the components of one surface in version 1.0, where they are identifiers. */
export class Names {
  readonly #later = new Map<string, string>()
  readonly #earlier = new Map<string, string>()
  readonly #limit: number

  /** @param limit ids that are remembered */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The id in version 1.0; two ids never get the same. */
  toLater(id: string): string {
    const known = this.#later.get(id)
    if (known !== undefined) return known
    let name = isIdentifier(id) ? id : asIdentifier(id)
    while (this.#earlier.has(name)) name += '_'
    if (this.#later.size < this.#limit) {
      this.#later.set(id, name)
      this.#earlier.set(name, id)
    }
    return name
  }

  /** The id in the earlier version. */
  toEarlier(name: string): string {
    return this.#earlier.get(name) ?? name
  }
}

/** The id with each character that no identifier has written as its code. */
function asIdentifier(id: string): string {
  const text = Array.from(id, (character) =>
    isIdentifier(`_${character}`) ? character : `_${character.codePointAt(0)?.toString(16)}_`,
  ).join('')
  return isIdentifier(text) ? text : `_${text}`
}
