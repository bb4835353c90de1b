import type { TemplatePart } from './format-template.ts'

const MAX_LENGTH = 1_000_000
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Parses a template with `{{name}}` placeholders; single braces are literal.
 * @throws SyntaxError for sections, partials, comments, triple braces, and braces without a valid name
 */
export function parseDoubleBraces(template: string): TemplatePart[] {
  if (template.length > MAX_LENGTH) throw new RangeError('The template is too long')
  const parts: TemplatePart[] = []
  let at = 0
  for (;;) {
    const start = template.indexOf('{{', at)
    if (start < 0) break
    if (/^[{#/^&>!.]/.test(template.slice(start + 2, start + 3))) {
      throw new SyntaxError(
        'Only simple variables like {{name}} are allowed in this template, not sections, partials, comments or triple braces.',
      )
    }
    const end = template.indexOf('}}', start + 2)
    if (end < 0) break
    const name = template.slice(start + 2, end)
    if (!NAME.test(name)) {
      const shown = name.length > 100 ? `${name.slice(0, 100)}...` : name
      throw new SyntaxError(
        `Invalid variable {{${shown}}}: write {{name}} with letters, digits and underscores.`,
      )
    }
    parts.push({ text: template.slice(at, start), name, target: name, path: [], spec: '' })
    at = end + 2
  }
  if (at < template.length) parts.push({ text: template.slice(at), path: [], spec: '' })
  return parts
}

/** Returns the variable names of such a template, without duplicates, in order. */
export function doubleBraceNames(template: string): string[] {
  const names = parseDoubleBraces(template).map(({ name }) => name)
  return [...new Set(names.filter((name) => name !== undefined))]
}
