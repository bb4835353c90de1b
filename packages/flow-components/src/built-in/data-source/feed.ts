import {
  attributeOf,
  childrenOf,
  descendantsOf,
  parseXml,
  elementText,
  type XmlElement,
} from '../../web/xml-tree.ts'

/** An entry of a news feed; missing parts are "". */
export type FeedItem = Readonly<Record<'title' | 'link' | 'published' | 'summary', string>>

/** Parses the entries of an RSS or Atom feed; other text has none. */
export async function parseFeed(text: string): Promise<FeedItem[]> {
  const root = await parseXml(text)
  return [
    ...descendantsOf(root, 'item').map(readItem),
    ...childrenOf(root, 'feed').flatMap((feed) => childrenOf(feed, 'entry').map(readEntry)),
  ]
}

function readItem(item: XmlElement): FeedItem {
  return {
    title: firstText(item, 'title'),
    link: firstText(item, 'link'),
    published: firstText(item, 'pubDate'),
    summary: firstText(item, 'description'),
  }
}

function readEntry(entry: XmlElement): FeedItem {
  const links = childrenOf(entry, 'link')
  const link = links.find((each) => (attributeOf(each, 'rel') ?? 'alternate') === 'alternate')
  return {
    title: firstText(entry, 'title'),
    link: (link && attributeOf(link, 'href')) ?? '',
    published: firstText(entry, 'published', 'updated'),
    summary: firstText(entry, 'summary', 'content'),
  }
}

function firstText(element: XmlElement, ...names: readonly string[]): string {
  const [first] = names.flatMap((name) => childrenOf(element, name))
  return first === undefined ? '' : elementText(first)
}
