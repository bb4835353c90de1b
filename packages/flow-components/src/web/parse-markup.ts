import { eventLoopTurn } from '@x/wire'
import type { parseDocument, ParserOptions } from 'htmlparser2'

export type MarkupDocument = ReturnType<typeof parseDocument>

/** Yields to the event loop after this many characters, which take a few milliseconds. */
const PIECE = 16 * 1024
/**
 * Maximum nesting depth. At each tag the parser searches all open elements, so a document that consists only
 * of start tags would take quadratic time.
 */
export const MAX_DEPTH = 500

/** Creates the error for a document that is nested too deeply. */
export function nestingError(): TypeError {
  return new TypeError(`The document has elements more than ${MAX_DEPTH} deep`)
}

/**
 * Parses markup in pieces and returns its tree.
 * @throws TypeError when it is nested too deeply
 */
export async function parseMarkup(
  text: string,
  options: ParserOptions = {},
): Promise<MarkupDocument> {
  const { DomHandler, Parser } = await import('htmlparser2')
  class BoundedHandler extends DomHandler {
    #depth = 0

    override onopentag(name: string, attributes: Record<string, string>): void {
      this.#depth += 1
      if (this.#depth > MAX_DEPTH) throw nestingError()
      super.onopentag(name, attributes)
    }

    override onclosetag(): void {
      this.#depth -= 1
      super.onclosetag()
    }
  }
  const handler = new BoundedHandler(undefined, options)
  const parser = new Parser(handler, options)
  for (let at = 0; at < text.length; at += PIECE) {
    if (at > 0) await eventLoopTurn()
    parser.write(text.slice(at, at + PIECE))
  }
  parser.end()
  return handler.root
}
