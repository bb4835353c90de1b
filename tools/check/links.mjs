// Relative links of pages, and their anchors, lead somewhere.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchorsOf } from '../anchors.mjs'
import { readSource, root } from '../sources.mjs'

const LINK = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g

/** One sentence for each link to nothing. */
export function problemsOfLinks(pages) {
  const anchors = new Map()
  const anchorsIn = (page) => {
    if (!anchors.has(page)) anchors.set(page, anchorsOf(readSource(page)))
    return anchors.get(page)
  }
  return pages.flatMap((page) => {
    const prose = readSource(page)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .replaceAll(/`[^`\n]*`/g, '')
    return [...prose.matchAll(LINK)].flatMap(([, path, anchor]) => {
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(root, target))) return [`${page}: no ${path}`]
      const isLost =
        anchor !== undefined && target.endsWith('.md') && !anchorsIn(target).has(anchor)
      return isLost ? [`${page}: no heading for ${path}#${anchor}`] : []
    })
  })
}
