import { parseMarkup, type MarkupDocument } from './parse-markup.ts'

type XmlNode = MarkupDocument['children'][number]

/** An element, or the document. */
export interface XmlElement {
  readonly children: readonly XmlNode[]
  readonly attribs?: Readonly<Record<string, string>>
}

const TEXT_NODE = 3

/**
 * Parses XML leniently, because real feeds are often malformed: unclosed elements end with their parent.
 * Entities declared by the document are not expanded.
 * @throws TypeError when it is nested too deeply
 */
export async function parseXml(text: string): Promise<XmlElement> {
  return await parseMarkup(text, { xmlMode: true })
}

/** Returns the child elements with this name, in order, ignoring namespace prefixes. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) =>
    isElement(child) && localName(child.name) === name ? [child] : [],
  )
}

/** Returns all descendants with this name, in document order. */
export function descendantsOf(element: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = []
  walk(element, (node) => {
    if (isElement(node) && localName(node.name) === name) found.push(node)
  })
  return found
}

/** Returns the text content of an element. */
export function elementText(element: XmlElement): string {
  let text = ''
  walk(element, (node) => {
    if (node.nodeType === TEXT_NODE && 'data' in node) text += node.data
  })
  return text
}

export function attributeOf({ attribs = {} }: XmlElement, name: string): string | undefined {
  return Object.hasOwn(attribs, name) ? attribs[name] : undefined
}

/** Visits all nodes below an element in document order, without recursion. */
function walk(element: XmlElement, visit: (node: XmlNode) => void): void {
  const open = element.children.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    visit(node)
    if ('children' in node) for (const child of node.children.toReversed()) open.push(child)
  }
}

function isElement(node: XmlNode): node is Extract<XmlNode, { attribs: unknown }> {
  return 'attribs' in node
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
