import { describe, expect, test } from 'vitest'
import { parseHtmlPage } from './html-page.ts'

describe('parseHtmlPage', () => {
  test('finds elements by name and class, also nested ones', async () => {
    const page = await parseHtmlPage(
      '<div class="hit big"><a class="t" href="/x?a=1&amp;b=2">A <b>b</b></a></div><div class="other"></div>',
    )
    const [hit, ...others] = page.elements('div', 'hit')
    expect(others).toEqual([])
    expect(hit?.first('a', 't')?.texts()).toEqual(['A', 'b'])
    expect(hit?.first('a', 't')?.attribute('href')).toBe('/x?a=1&b=2')
    expect(hit?.first('a', 'none')).toBeUndefined()
  })

  test('text is stripped, scripts and styles are left out', async () => {
    const page = await parseHtmlPage(
      '<head><title>T</title><style>p{}</style></head><body> <p>one<br>two</p><script>x()</script><!-- c -->',
    )
    expect(page.texts()).toEqual(['T', 'one', 'two'])
  })

  test('pages with 500 nested elements are read', async () => {
    const page = await parseHtmlPage(`${'<div>'.repeat(500)}x`)
    expect(page.texts()).toEqual(['x'])
  })
})
