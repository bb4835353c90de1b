import { formatPointer, setOwn, type JsonObject, type JsonValue } from '../json.ts'

/** A container that is being read. */
export interface JsonFrame {
  readonly container: JsonObject | JsonValue[]
  key: string | null
  /** Behind an item, or where one may begin. */
  isBehind: boolean
  comma: boolean
}

/** The containers around the position of a reader, and the value they make up. */
export class JsonFrames {
  readonly #frames: JsonFrame[] = []
  #arrays = 0
  #root: JsonValue = null

  /** The outermost value. */
  get root(): JsonValue {
    return this.#root
  }

  get length(): number {
    return this.#frames.length
  }

  /** The innermost container. */
  get top(): JsonFrame | undefined {
    return this.#frames.at(-1)
  }

  /** True if a container is open that this bracket closes. */
  holds(closing: '}' | ']'): boolean {
    return (closing === ']' ? this.#arrays : this.#frames.length - this.#arrays) > 0
  }

  /** Adds a value to the innermost container. */
  put(value: JsonValue): void {
    const { top } = this
    if (top === undefined) this.#root = value
    else if (Array.isArray(top.container)) top.container.push(value)
    else setOwn(top.container, top.key ?? '', value)
  }

  /** Adds a container, which becomes the innermost. */
  open(container: JsonObject | JsonValue[]): void {
    this.put(container)
    if (Array.isArray(container)) this.#arrays += 1
    this.#frames.push({ container, key: null, isBehind: false, comma: false })
  }

  pop(): void {
    const gone = this.#frames.pop()
    if (gone !== undefined && Array.isArray(gone.container)) this.#arrays -= 1
  }

  /** Closes all containers. */
  clear(): void {
    this.#frames.length = 0
    this.#arrays = 0
  }

  /** The path of the innermost container. */
  containerPath(): string {
    return formatPointer(this.#above())
  }

  /** The path of a member of the innermost container. */
  memberPath(key: string): string {
    return formatPointer([...this.#above(), key])
  }

  /** The path of the value that is read next. */
  valuePath(): string {
    const { top } = this
    if (top === undefined) return ''
    const own = Array.isArray(top.container) ? top.container.length : (top.key ?? '')
    return formatPointer([...this.#above(), own])
  }

  /** The places of the containers down to the innermost. */
  #above(): (string | number)[] {
    return this.#frames
      .slice(0, -1)
      .flatMap(({ container, key }): (string | number)[] =>
        Array.isArray(container) ? [container.length - 1] : key === null ? [] : [key],
      )
  }
}
