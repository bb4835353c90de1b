import { NAME, RESERVED, text } from './write-literal.ts'

/** The names of a surface's components in a program. */
export class ComponentNames {
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()

  /** What stands where a component is expected. */
  reference(id: string): string {
    return (
      this.#names.get(id) ??
      (NAME.test(id) && !RESERVED.has(id) && !this.#taken.has(id) ? id : text(id))
    )
  }

  /** The name of a component: its id, if that is a name. */
  of(id: string): string {
    const known = this.#names.get(id)
    if (known !== undefined) return known
    let name = id
    if (!NAME.test(id) || RESERVED.has(id) || this.#taken.has(id)) {
      const base = id.replaceAll(/[^A-Za-z0-9_]+/g, '_').replace(/^(?=\d|$)/, 'c')
      name = RESERVED.has(base) ? `${base}_1` : base
      for (let count = 2; this.#taken.has(name) || name === 'root'; count += 1)
        name = `${base}_${count}`
    }
    this.#names.set(id, name)
    this.#taken.add(name)
    return name
  }
}
