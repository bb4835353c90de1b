import { expect, test } from 'vitest'
import { htmlToMarkdown } from './html-to-markdown.ts'

test.each([
  ['<h1>A <em>page</em></h1><p>One<br>two</p>', '# A *page*\n\nOne\ntwo'],
  ['<ol><li>a<li>b</ol><ul><li>c</ul>', '1. a\n2. b\n\n- c'],
  ['<a href="/x">link</a> <img src="i.png" alt="pic"><a>none</a>', '[link](/x) ![pic](i.png)none'],
  ['<pre>x = 1\n  y\n</pre>', '```\nx = 1\n  y\n```'],
  ['<title>t</title><script>s()</script><style>s{}</style><p>seen</p>', 'seen'],
  ['<p>a</p><hr><p>b<b> </b></p>', 'a\n\n---\n\nb'],
  ['', ''],
])('FF-40: a page as Markdown: %s', async (html, markdown) => {
  expect(await htmlToMarkdown(html)).toBe(markdown)
})
