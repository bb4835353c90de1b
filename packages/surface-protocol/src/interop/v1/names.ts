import { isIdentifier } from '../../data/identifier.ts'

/** Maps the component ids of a surface to identifiers, as version 1.0 requires. */
export class Names {
  readonly #later = new Map<string, string>()
  readonly #earlier = new Map<string, string>()
  readonly #limit: number

  /** @param limit maximum number of remembered ids */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The id in version 1.0; distinct ids stay distinct. */
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

/** Replaces each character not allowed in identifiers by its code. */
function asIdentifier(id: string): string {
  const text = Array.from(id, (character) =>
    isIdentifier(`_${character}`) ? character : `_${character.codePointAt(0)?.toString(16)}_`,
  ).join('')
  return isIdentifier(text) ? text : `_${text}`
}
