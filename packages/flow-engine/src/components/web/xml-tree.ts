import { parseMarkup, type MarkupDocument } from './parse-markup.ts'

type XmlNode = MarkupDocument['children'][number]

/** An element, or the whole text. */
export interface XmlElement {
  readonly children: readonly XmlNode[]
  readonly attribs?: Readonly<Record<string, string>>
}

const TEXT_NODE = 3

/**
 * The tree of an XML text. As feeds in the wild need it, nothing is an error: what is not closed ends
 * with its parent. Entities that a document declares itself are not expanded.
 * @throws TypeError when it is nested too deeply
 */
export async function parseXml(text: string): Promise<XmlElement> {
  return await parseMarkup(text, { xmlMode: true })
}

/** The children of an element with a name, in order; prefixes of names do not count. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) =>
    isElement(child) && localName(child.name) === name ? [child] : [],
  )
}

/** All elements of a name below an element, in order. */
export function descendantsOf(element: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = []
  walk(element, (node) => {
    if (isElement(node) && localName(node.name) === name) found.push(node)
  })
  return found
}

/** All text inside an element, in order. */
export function textOf(element: XmlElement): string {
  let text = ''
  walk(element, (node) => {
    if (node.nodeType === TEXT_NODE && 'data' in node) text += node.data
  })
  return text
}

export function attributeOf({ attribs = {} }: XmlElement, name: string): string | undefined {
  return Object.hasOwn(attribs, name) ? attribs[name] : undefined
}

/** Every node below an element in order; deep trees do not nest calls. */
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
