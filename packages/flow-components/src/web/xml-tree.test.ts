import { describe, expect, test } from 'vitest'
import { attributeOf, childrenOf, descendantsOf, parseXml, elementText } from './xml-tree.ts'

describe('parseXml', () => {
  test('names lose their prefix; attributes and order are kept', async () => {
    const root = await parseXml(
      '<?xml version="1.0"?><f:feed xmlns:f="u"><f:link rel="a" href="x"/><b>1</b><f:link rel="b"/></f:feed>',
    )
    const [feed = root] = childrenOf(root, 'feed')
    expect(childrenOf(feed, 'link').map((link) => attributeOf(link, 'rel'))).toEqual(['a', 'b'])
    expect(descendantsOf(root, 'b').map(elementText)).toEqual(['1'])
    expect(attributeOf(feed, 'toString')).toBeUndefined()
  })

  test('text is joined across elements, CDATA and entities', async () => {
    const root = await parseXml('<d>a &lt;b&gt; &#38; &#x17e; <i>in</i><![CDATA[ <c> ]]></d>')
    expect(elementText(root)).toBe('a <b> & ž in <c> ')
  })

  test('numbers stay strings', async () => {
    expect(elementText(await parseXml('<n>0012</n>'))).toBe('0012')
  })

  test('malformed XML is read as far as possible', async () => {
    const root = await parseXml('<rss><item><title>a &amp b</title><item><title>c</rss>')
    expect(descendantsOf(root, 'title').map(elementText)).toEqual(['a &amp b', 'c'])
    expect(descendantsOf(await parseXml('plain text'), 'item')).toEqual([])
  })

  test('documents with 500 nested elements are read', async () => {
    expect(elementText(await parseXml(`${'<a>'.repeat(500)}x`))).toBe('x')
  })

  test('nested entities are not expanded', async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><x>&b;</x>`
    expect(elementText(await parseXml(bomb)).length).toBeLessThan(100)
  })
})
