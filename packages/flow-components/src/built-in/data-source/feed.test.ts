import { describe, expect, test } from 'vitest'
import { parseFeed } from './feed.ts'

describe('parseFeed (CO-78)', () => {
  test('reads RSS items, with missing parts as empty strings', async () => {
    const feed = `<rss><channel><title>C</title><item><title>One</title><link>http://n/1</link>
      <pubDate>Mon</pubDate><description>&lt;b&gt;x&lt;/b&gt;</description></item><item/></channel></rss>`
    expect(await parseFeed(feed)).toEqual([
      { title: 'One', link: 'http://n/1', published: 'Mon', summary: '<b>x</b>' },
      { title: '', link: '', published: '', summary: '' },
    ])
  })

  test('reads Atom entries', async () => {
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title>
      <link rel="self" href="a"/><link href="b"/><updated>2026</updated><content>c</content></entry></feed>`
    expect(await parseFeed(feed)).toEqual([
      { title: 'T', link: 'b', published: '2026', summary: 'c' },
    ])
  })

  test('finds no entries in an HTML page or plain text', async () => {
    expect(await parseFeed('<html><br>')).toEqual([])
    expect(await parseFeed('not found')).toEqual([])
  })
})
