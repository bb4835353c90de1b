const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** By the level of a heading. */
const HEADING_SIZES = [undefined, '1.6rem', '1.35rem', '1.15rem', '1.05rem', '1rem']

/** Renders headings, bold and italic; everything else is text. Content is never parsed as HTML. */
export function renderMarkdown(markdown: string): string {
  const [, marks = '', rest = markdown] = /^(#{1,5}) (.*)$/s.exec(markdown) ?? []
  const text = rest
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\*([^*]+)\*/g, '<em>$1</em>')
  const tag = marks === '' ? 'p' : `h${marks.length}`
  const size = HEADING_SIZES[marks.length]
  // The renderer resets size and weight of headings.
  const look = size === undefined ? '' : `;font-size:${size};font-weight:600`
  return `<${tag} style="margin:0${look}">${text}</${tag}>`
}
