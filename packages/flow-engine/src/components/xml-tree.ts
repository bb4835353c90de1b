import { isRecord } from '../graph/values/convert.ts'

/** An element as fast-xml-parser gives it with `preserveOrder`: its name is its only own list. */
export type XmlElement = Readonly<Record<string, unknown>>

const ATTRIBUTES = ':@'
const TEXT = '#text'

/**
 * The tree of an XML text; prefixes of names are left out. Entities that the document declares
 * itself are not expanded.
 * @throws SyntaxError for text that is no XML
 */
export async function parseXml(text: string): Promise<XmlElement> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser')
  const valid = XMLValidator.validate(text)
  if (valid !== true) throw new SyntaxError(`no valid XML: ${valid.err.msg}`)
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    removeNSPrefix: true,
    parseTagValue: false,
    trimValues: false,
    processEntities: { enabled: true, maxTotalExpansions: 10_000 },
    htmlEntities: true,
  })
  const children: unknown = parser.parse(text)
  return { '': children }
}

/** The children of an element with a name, in order. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return contentOf(element).filter((child) => Object.hasOwn(child, name) && name !== ATTRIBUTES)
}

/** All elements of a name below an element, in order. */
export function descendantsOf(element: XmlElement, name: string): XmlElement[] {
  return contentOf(element).flatMap((child) => [
    ...(Object.hasOwn(child, name) ? [child] : []),
    ...descendantsOf(child, name),
  ])
}

/** All text inside an element, in order. */
export function textOf(element: XmlElement): string {
  return contentOf(element)
    .map((child) => (TEXT in child ? String(child[TEXT]) : textOf(child)))
    .join('')
}

export function attributeOf(element: XmlElement, name: string): string | undefined {
  const attributes = element[ATTRIBUTES]
  const value =
    isRecord(attributes) && Object.hasOwn(attributes, name) ? attributes[name] : undefined
  return typeof value === 'string' ? value : undefined
}

function contentOf(element: XmlElement): XmlElement[] {
  const content = Object.entries(element).find(([key]) => key !== ATTRIBUTES)?.[1]
  return Array.isArray(content) ? content.filter(isRecord) : []
}
