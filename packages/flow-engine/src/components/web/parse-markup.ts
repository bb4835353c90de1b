import { eventLoopTurn } from '@x/wire'
import type { parseDocument, ParserOptions } from 'htmlparser2'

export type MarkupDocument = ReturnType<typeof parseDocument>

/** Characters that are parsed before the event loop takes its turn: a few milliseconds (AB-34). */
const PIECE = 16 * 1024
/**
 * Elements inside one another. The parser looks through all open ones at each tag, so that a document of
 * nothing but open tags would take the square of its size.
 */
export const MAX_DEPTH = 500

/** The refusal of a document that is nested deeper. */
export function tooDeep(): TypeError {
  return new TypeError(`The document has elements more than ${MAX_DEPTH} deep`)
}

/**
 * The tree of a text, parsed in pieces.
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
      if (this.#depth > MAX_DEPTH) throw tooDeep()
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
