import { matchAt } from './json-tokens.ts'

/** Passes over comments between messages. */
export class CommentSkipper {
  readonly #maximum: number
  /** Openings of comments that nothing closes; looked for once. */
  readonly #unclosed = new Set<string>()

  /** @param maximum the characters after which an open comment is no longer waited for */
  constructor(maximum: number) {
    this.#maximum = maximum
  }

  /**
   * The position behind a comment, or behind a character that begins none.
   * @returns null if the text has to go on first
   */
  skip(text: string, at: number, last: boolean): number | null {
    const { pattern, open } = commentAt(text, at)
    const found = this.#unclosed.has(open) ? null : matchAt(pattern, text, at)
    if (found === null && open !== '' && text.startsWith(open, at)) {
      if (last) this.#unclosed.add(open)
      else if (text.length - at < this.#maximum) return null
    }
    return at + (found?.length ?? 1)
  }
}

/** The form of the comment that a character may begin, and what opens it if it has to be closed. */
function commentAt(text: string, at: number): { pattern: RegExp; open: string } {
  const char = text.charAt(at)
  if (char === '<') return { pattern: /<!--[^]*?-->/y, open: '<!--' }
  if (char === '#') return { pattern: /#[^\n<]*/y, open: '' }
  return text[at + 1] === '*'
    ? { pattern: /\/\*[^]*?\*\//y, open: '/*' }
    : { pattern: /\/\/[^\n<]*/y, open: '' }
}
