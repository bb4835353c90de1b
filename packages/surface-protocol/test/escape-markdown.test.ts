import MarkdownIt from 'markdown-it'
import { expect, test } from 'vitest'
import { escapeMarkdown } from '@x/surface-protocol'

const texts = [
  '-',
  '- a\n- b',
  '1. x',
  '12) x',
  '# t',
  '*a*',
  '_b_',
  'snake_case_name',
  '[x](javascript:alert(1))',
  '![x](https://host.example/a.png)',
  '<b>',
  '<script>alert(1)</script>',
  '<https://host.example>',
  'a | b\n--- | ---\n1 | 2',
  '~~x~~',
  '`c`',
  '```\ncode\n```',
  '\tx',
  '    x',
  'a  \nb',
  'a\n===',
  'a\n---',
  '> quoted',
  '&amp; &lt;',
  String.raw`C:\temp\*`,
  '+1 49 5',
  '3.14 and 2.',
  '[ref]: https://host.example',
  '* * *',
  '用户_输入_*',
]

test.each(texts)('SX-38: %j appears as it is written', (text) => {
  const markdown = new MarkdownIt({ html: true, linkify: false })
  const html = markdown.render(escapeMarkdown(text))
  expect(html).not.toMatch(/<(?!\/?p>|br>)/)
  const shown = html
    .replaceAll(/<\/?(?:p|br)>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
  const plain = (value: string) => value.replaceAll(/\s+/g, ' ').trim()
  expect(plain(shown)).toBe(plain(text))
})
