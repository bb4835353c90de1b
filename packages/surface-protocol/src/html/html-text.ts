const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}

/** Escaped text with `**bold**`, `*italic*` and `` `code` `` as the only Markdown. */
export function inlineHtml(text: string): string {
  return escapeHtml(text)
    .replaceAll(/`([^`\n]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\*([^*\n]+)\*/g, '<em>$1</em>')
}

/** Which URLs a page may contain. */
export interface UrlRules {
  readonly relativeUrls: boolean
  readonly dataImages: boolean
}

/** Returns the URL if it is allowed, else null. */
export function safeUrl(text: string, { relativeUrls, dataImages }: UrlRules): string | null {
  // Browsers leave these out before they look for a scheme.
  // eslint-disable-next-line no-control-regex -- these are the characters to take out
  const url = text.replaceAll(/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff]/g, '')
  if (url === '') return null
  if (/^https?:\/\//i.test(url)) return URL.canParse(url) ? url : null
  if (dataImages && /^data:image\/(?:png|jpeg|gif|webp)[;,]/i.test(url)) return url
  if (!relativeUrls || /^[\\/]{2}/.test(url) || /^[^/?#]*:/.test(url) || url.includes('\\'))
    return null
  return URL.canParse(url, 'https://host.invalid/') ? url : null
}
