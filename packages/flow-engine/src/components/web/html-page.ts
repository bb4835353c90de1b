import { parseMarkup, type MarkupDocument } from './parse-markup.ts'

type HtmlNode = MarkupDocument['children'][number]

const TEXT_NODE = 3

/** Elements whose text no reader sees. */
const UNSEEN = new Set(['script', 'style', 'template', 'noscript'])

/** An HTML page to look things up in. */
export interface HtmlPage {
  /** Elements of a name that carry a class, in order. */
  elements(name: string, className: string): HtmlElement[]
  /** Texts of the page in order, stripped, without blank ones; those of scripts and styles left out. */
  texts(): string[]
}

export interface HtmlElement {
  attribute(name: string): string | undefined
  texts(): string[]
  /** The first element inside of a name that carries a class. */
  first(name: string, className: string): HtmlElement | undefined
}

/**
 * Reads any text as HTML, as browsers do: nothing is an error but elements nested too deeply.
 * @throws TypeError for those
 */
export async function parseHtmlPage(html: string): Promise<HtmlPage> {
  const { DomUtils } = await import('htmlparser2')
  const find = (root: HtmlNode | MarkupDocument, name: string, className: string): HtmlElement[] =>
    DomUtils.getElementsByTagName(name, root)
      .filter(({ attribs }) => (attribs.class ?? '').split(/\s+/).includes(className))
      .map((element) => ({
        attribute: (key) =>
          Object.hasOwn(element.attribs, key) ? element.attribs[key] : undefined,
        texts: () => textsOf([element]),
        first: (inner, innerClass) => find(element, inner, innerClass)[0],
      }))
  const document = await parseMarkup(html)
  return {
    elements: (name, className) => find(document, name, className),
    texts: () => textsOf(document.children),
  }
}

function textsOf(nodes: readonly HtmlNode[]): string[] {
  const texts: string[] = []
  const open = [...nodes].toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.nodeType === TEXT_NODE && 'data' in node) {
      const text = node.data.trim()
      if (text !== '') texts.push(text)
    } else if ('name' in node && UNSEEN.has(node.name)) {
      continue
    } else if ('children' in node) {
      for (const child of node.children.toReversed()) open.push(child)
    }
  }
  return texts
}
