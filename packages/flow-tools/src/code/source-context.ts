import { stringLiteral } from './literal.ts'
import { FileNames, SourceNames } from './source-names.ts'
import { MAX_WIDTH, textWidth } from './text-width.ts'

/** What the statements of a source share: names, imports, files and notes. */
export class SourceContext {
  /** From the source, such as `./support.flow`. */
  readonly folder: string
  readonly names = new SourceNames()
  readonly files = new Map<string, string>()
  readonly notes: string[] = []
  /** Names that the built-in components are imported under. */
  readonly spaces = new Set<'c' | 'more'>()
  usesVariables = false
  readonly #fileNames = new FileNames()
  readonly #imports = new Map<string, string>()
  readonly #embedded = new Map<string, string>()
  readonly #constants: string[] = []

  constructor(folder: string) {
    this.folder = folder
  }

  /** Writes JSON to a file of its own and returns the name under which the source imports it. */
  importJson(
    value: unknown,
    { name, identifier }: { readonly name: string; readonly identifier: string },
  ): string {
    const path = `${this.folder}/${this.#fileNames.free(name)}.json`
    this.files.set(path, `${JSON.stringify(value, null, 2)}\n`)
    const imported = this.names.identifier(identifier)
    this.#imports.set(path, imported)
    return imported
  }

  /** The constant of an embedded component, whose files are written once. */
  embedded(component: {
    readonly name: string
    readonly ending: string
    readonly code: string
    readonly facts: unknown
  }): string {
    const { code, ending } = component
    const facts = `${JSON.stringify(component.facts, null, 2)}\n`
    const key = JSON.stringify([code, facts])
    const before = this.#embedded.get(key)
    if (before !== undefined) return before
    const file = `${this.folder}/${this.#fileNames.free(component.name)}`
    this.files.set(`${file}.${ending}`, code)
    this.files.set(`${file}.json`, facts)
    const constant = this.names.identifier(component.name)
    this.#embedded.set(key, constant)
    this.#constants.push(embeddedStatement(constant, addressLiteral(`${file}.${ending}`)))
    return constant
  }

  /** Import lines, in order of their modules, and the constants that follow. */
  head(engineNames: readonly string[]): string[] {
    const { spaces } = this
    const imports = [...this.#imports].map(
      ([path, name]) => `import ${name} from ${addressLiteral(path)} with { type: 'json' }`,
    )
    return [
      ...(spaces.has('more') ? [`import * as more from '@x/flow-components'`] : []),
      `import { ${engineNames.join(', ')} } from '@x/flow-engine'`,
      ...(spaces.has('c') ? [`import * as c from '@x/flow-engine/components'`] : []),
      ...(this.#constants.length > 0 ? [`import { embedded } from '@x/flow-engine/node'`] : []),
      ...imports,
      ...(this.#constants.length > 0 ? ['', ...this.#constants] : []),
    ]
  }
}

/** A path as an address, which a sign of the file's name neither ends nor changes. */
function addressLiteral(path: string): string {
  return stringLiteral(path.replaceAll(/[%#?\\]/g, encodeURIComponent))
}

/** With one argument a line where it does not fit. */
function embeddedStatement(constant: string, address: string): string {
  const line = `const ${constant} = embedded(new URL(${address}, import.meta.url))`
  if (textWidth(line) <= MAX_WIDTH) return line
  const inner = `  new URL(${address}, import.meta.url),`
  const url =
    textWidth(inner) <= MAX_WIDTH
      ? inner
      : `  new URL(\n    ${address},\n    import.meta.url,\n  ),`
  return `const ${constant} = embedded(\n${url}\n)`
}
