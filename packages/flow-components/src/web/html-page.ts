import { parseMarkup, type MarkupDocument } from './parse-markup.ts'

type HtmlNode = MarkupDocument['children'][number]

const TEXT_NODE = 3

/** Elements whose text is not displayed. */
const INVISIBLE = new Set(['script', 'style', 'template', 'noscript'])

/** A parsed HTML page. */
export interface HtmlPage {
  /** Returns the elements with this name and class, in document order. */
  elements(name: string, className: string): HtmlElement[]
  /** Returns the trimmed, non-blank text of the page in document order, without scripts and styles. */
  texts(): string[]
}

export interface HtmlElement {
  attribute(name: string): string | undefined
  texts(): string[]
  /** Returns the first descendant with this name and class. */
  first(name: string, className: string): HtmlElement | undefined
}

/**
 * Parses any text as HTML, as browsers do. Only excessive nesting is an error.
 * @throws TypeError for elements nested too deeply
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
    } else if ('name' in node && INVISIBLE.has(node.name)) {
      continue
    } else if ('children' in node) {
      for (const child of node.children.toReversed()) open.push(child)
    }
  }
  return texts
}
