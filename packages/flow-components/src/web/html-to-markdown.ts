import { parseMarkup, type MarkupDocument } from './parse-markup.ts'

type HtmlNode = MarkupDocument['children'][number]

const TEXT_NODE = 3
const INVISIBLE = new Set(['script', 'style', 'template', 'noscript', 'head', 'title'])
const BLOCKS = new Set(
  'address article aside blockquote body dd div dl dt fieldset figcaption figure footer form header html li main nav ol p pre section table tbody thead tr ul'.split(
    ' ',
  ),
)
const MARKS = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['i', '*'],
  ['em', '*'],
  ['code', '`'],
  ['del', '~~'],
])

/**
 * Writes the visible content of a page as Markdown: headings, paragraphs, lists, quotes, code, tables, links
 * and images.
 * @throws TypeError for elements nested too deeply
 */
export async function htmlToMarkdown(html: string): Promise<string> {
  const { children } = await parseMarkup(html)
  return children
    .map((node) => markdownOf(node, ''))
    .join('')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

function markdownOf(node: HtmlNode, list: string): string {
  if (node.nodeType === TEXT_NODE && 'data' in node) return node.data.replaceAll(/\s+/g, ' ')
  if (!('name' in node && 'attribs' in node) || INVISIBLE.has(node.name)) return ''
  const { name, children, attribs } = node
  if (name === 'br') return '\n'
  if (name === 'hr') return '\n\n---\n\n'
  if (name === 'img')
    return attribs.src === undefined ? '' : `![${attribs.alt ?? ''}](${attribs.src})`
  if (name === 'pre') return `\n\n\`\`\`\n${plainText(node).replace(/\n$/, '')}\n\`\`\`\n\n`
  const inner = (mark = list): string => children.map((child) => markdownOf(child, mark)).join('')
  const level = /^h([1-6])$/.exec(name)?.[1]
  if (level !== undefined) return `\n\n${'#'.repeat(Number(level))} ${inner().trim()}\n\n`
  const mark = MARKS.get(name)
  if (mark !== undefined) return inner().trim() === '' ? inner() : `${mark}${inner().trim()}${mark}`
  if (name === 'a')
    return attribs.href === undefined ? inner() : `[${inner().trim()}](${attribs.href})`
  if (name === 'ul' || name === 'ol') {
    let number = 0
    const items = children.map((child) => {
      if ('name' in child && child.name === 'li') number += 1
      return markdownOf(child, name === 'ul' ? '- ' : `${number}. `)
    })
    return `\n\n${items.join('').trim()}\n\n`
  }
  if (name === 'li')
    return `\n${list}${inner()
      .trim()
      .replaceAll('\n', `\n${' '.repeat(list.length)}`)}`
  if (name === 'blockquote') return `\n\n> ${inner().trim().replaceAll('\n', '\n> ')}\n\n`
  if (name === 'tr') return rowOf(node)
  return BLOCKS.has(name) ? `\n\n${inner()}\n\n` : inner()
}

/** A table row; the first row of a table has a line below it. */
function rowOf(node: HtmlNode): string {
  if (!('children' in node)) return ''
  const cells = node.children.flatMap((cell) =>
    'name' in cell && (cell.name === 'td' || cell.name === 'th')
      ? [{ head: cell.name === 'th', text: markdownOf(cell, '').replaceAll(/\s+/g, ' ').trim() }]
      : [],
  )
  const row = `\n| ${cells.map(({ text }) => text).join(' | ')} |`
  const isHead = cells.length > 0 && cells.every(({ head }) => head)
  return isHead ? `${row}\n|${' --- |'.repeat(cells.length)}` : row
}

function plainText(node: HtmlNode): string {
  if (node.nodeType === TEXT_NODE && 'data' in node) return node.data
  return 'children' in node ? node.children.map(plainText).join('') : ''
}
