const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Headings, bold and italic; everything else is text. What the server sends is never taken for HTML. */
export function renderMarkdown(markdown: string): string {
  const [, marks = '', rest = markdown] = /^(#{1,5}) (.*)$/s.exec(markdown) ?? []
  const text = rest
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\*([^*]+)\*/g, '<em>$1</em>')
  const tag = marks === '' ? 'p' : `h${marks.length}`
  return `<${tag} style="margin:0">${text}</${tag}>`
}
