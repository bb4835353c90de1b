import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

const DARK = '@media (prefers-color-scheme: dark)'

/** The same drawing twice, as addresses of data: in the colours of a light and of a dark page. */
export function themesOf(svg: string): { readonly light: string; readonly dark: string } {
  const address = (condition: string) =>
    `data:image/svg+xml,${encodeURIComponent(svg.replaceAll(DARK, condition))}`
  return { light: address('@media not all'), dark: address('@media all') }
}

/**
 * Lets drawings follow the theme switch of the site. An image sees the preference of the system only, so
 * each drawing that has dark colours is on the page twice, and the theme hides one of them.
 */
export function themeImages(md: MarkdownRenderer): void {
  const image = md.renderer.rules['image']
  md.renderer.rules['image'] = (tokens, index, options, env, self) => {
    const once = () =>
      image?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options)
    const token = tokens[index]
    const source = token?.attrGet('src') ?? ''
    const { path } = env as { path?: string }
    if (token === undefined || path === undefined || !/^[^:]+\.svg$/.test(source)) return once()
    const svg = readFileSync(join(dirname(path), source), 'utf8')
    if (!svg.includes(DARK)) return once()
    return Object.entries(themesOf(svg))
      .map(([theme, address]) => {
        token.attrSet('src', address)
        token.attrSet('class', `of-${theme}-theme`)
        return once()
      })
      .join('')
  }
}
