import { SurfaceError } from '../diagnostics/errors.ts'
import { stateOfStore, treeOf, type AnySurfaceStore } from '../store/store.ts'
import type { TreeNode } from '../tree/instance.ts'
import { isSafeUrl, LINK_SCHEMES, MEDIA_SCHEMES } from '../message/url-schemes.ts'
import { linesOf } from './text-components.ts'

/** Options for rendering a surface as text. */
export interface RenderSurfaceTextOptions {
  /** Columns of a line, at least 20. Default: 80. */
  readonly width?: number
  /** Writes links as `text <url>`. Default: true. */
  readonly links?: boolean
}

const MAX_LENGTH = 1_048_576

/**
 * Renders a surface as plain text, for chats, mails, terminals and hosts without a renderer; `""` if it is not rendered
 * yet. There are no control characters but line breaks, and no URL of another scheme than `http`, `https`, `mailto`
 * and `tel`.
 * @throws SurfaceError `limit_exceeded` beyond 1,048,576 characters, or if the tree exceeds a limit
 * @throws TypeError for an invalid width
 */
export function renderSurfaceText(
  store: AnySurfaceStore,
  surfaceId: string,
  options: RenderSurfaceTextOptions = {},
): string {
  const { width = 80, links = true } = options
  if (!Number.isSafeInteger(width) || width < 20) {
    throw new TypeError('renderSurfaceText: option "width" must be an integer of at least 20')
  }
  const nodes = new Set<unknown>()
  const tree = treeOf(stateOfStore(store), surfaceId, nodes)
  if (tree === null) return ''
  const lines = linesOf(tree, width, {
    links,
    isNode: (value): value is TreeNode => nodes.has(value),
    url(value, kind) {
      const schemes = kind === 'link' ? LINK_SCHEMES : MEDIA_SCHEMES
      return typeof value === 'string' && isSafeUrl(value, schemes) ? value : null
    },
  })
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0)
  if (length > MAX_LENGTH) {
    const detail = `The text of the surface has more than ${MAX_LENGTH} characters.`
    throw new SurfaceError({ code: 'limit_exceeded', detail, surfaceId })
  }
  return lines.map((line) => `${line}\n`).join('')
}
