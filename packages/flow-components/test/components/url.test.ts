import { describe, expect, test } from 'vitest'
import { url } from '@x/flow-components'
import { isDataFrame } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'

const pages = new Map([
  [
    'http://site.test/docs/',
    '<title>Start</title><script>var x = 1</script><style>p {}</style><a href="a#part">a</a> <a href="/out">out</a> <a href="mailto:x@y">m</a>',
  ],
  ['http://site.test/docs/a', '<title>A</title><a href="./">back</a><a href="deep/b">b</a>'],
  ['http://site.test/docs/deep/b', '<title>B</title>'],
  ['http://site.test/out', '<title>Out</title>'],
])

async function crawl(inputs: Record<string, unknown>) {
  const asked: string[] = []
  const { value } = await testComponent(url, {
    output: 'page_results',
    inputs,
    services: {
      async fetch(input) {
        const address = new Request(input).url
        asked.push(address)
        const page = pages.get(address)
        if (page === undefined) throw new TypeError('fetch failed')
        return new Response(page, { headers: { 'content-type': 'text/html' } })
      },
    },
  })
  return { rows: isDataFrame(value) ? value.rows : [], asked }
}

const start = { urls: ['http://site.test/docs/', ' http://site.test/docs/ '] }

describe('URLComponent (CO-40)', () => {
  test('scripts and styles are left out of the text, the title is included', async () => {
    const { rows } = await crawl(start)
    expect(rows).toMatchObject([{ title: 'Start', text: 'Starta out m' }])
  })

  test('depth includes the page itself; each page is fetched once, external ones not at all', async () => {
    expect((await crawl({ ...start, max_depth: 2 })).asked).toEqual([
      'http://site.test/docs/',
      'http://site.test/docs/a',
    ])
    expect((await crawl({ ...start, max_depth: 5 })).asked).toEqual([
      'http://site.test/docs/',
      'http://site.test/docs/a',
      'http://site.test/docs/deep/b',
    ])
  })

  test('FF-40: a page as Markdown; letter case and blanks of the format do not count', async () => {
    pages.set(
      'http://site.test/md',
      '<title>T</title><h1>Hi <b>you</b></h1><p>See <a href="/x">this</a>.</p><ul><li>a<li>b</ul><pre>x\n y</pre><table><tr><th>k<th>v</tr><tr><td>1<td>2</tr></table>',
    )
    const { rows } = await crawl({ urls: ['http://site.test/md'], format: ' markdown' })
    expect(rows[0]?.text).toBe(
      '# Hi **you**\n\nSee [this](/x).\n\n- a\n- b\n\n```\nx\n y\n```\n\n| k | v |\n| --- | --- |\n| 1 | 2 |',
    )
    const source = await crawl({ urls: ['http://site.test/md'], format: 'html' })
    expect(String(source.rows[0]?.text)).toContain('<h1>')
  })

  test('external pages are followed if allowed', async () => {
    const { asked } = await crawl({ ...start, max_depth: 2, prevent_outside: false })
    expect(asked).toContain('http://site.test/out')
  })

  test('failing pages are skipped or fail the component', async () => {
    const urls = ['http://gone.test/', 'http://site.test/out']
    expect((await crawl({ urls })).rows).toMatchObject([{ title: 'Out' }])
    await expect(crawl({ urls, continue_on_failure: false })).rejects.toThrow(
      'Error loading documents: http://gone.test/: fetch failed',
    )
  })

  test('the message joins the texts and contains the rows', async () => {
    const { value } = await testComponent(url, {
      output: 'raw_results',
      inputs: { urls: ['site.test/x'] },
      services: { fetch: async () => new Response('<p>one</p>') },
    })
    expect(value).toMatchObject({ text: 'one', data: { data: [{ url: 'https://site.test/x' }] } })
  })
})
