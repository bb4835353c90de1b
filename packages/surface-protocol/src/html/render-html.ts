import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { isPlainObject, ownValue } from '../json.ts'
import { checkSurface } from '../store/checks.ts'
import { stateOfStore, treeOf, type AnySurfaceStore } from '../store/store.ts'
import { standardRenderers, type Renderer } from './html-components.ts'
import { formatAttributes, type HtmlContext } from './html-context.ts'
import { escapeHtml, safeUrl, type UrlRules } from './html-text.ts'
import type { TreeNode } from '../tree/instance.ts'

/** What a renderer of a type of your own works with. */
export interface HtmlHelpers {
  /** The escaped text of a value; `""` for what is no text and no number. */
  text(value: unknown): string
  /** Escaped attributes, each with a blank before it; null and false are left out. */
  attributes(values: Readonly<Record<string, string | number | boolean | null>>): string
  /** The HTML of the nodes in a value, such as a node's properties, in order. */
  children(value: unknown): string
}

/** Options for rendering a surface as HTML. */
export interface RenderSurfaceHtmlOptions {
  /** Allows URLs without a scheme. Default: false. */
  readonly relativeUrls?: boolean
  /** Allows `data:` URLs of PNG, JPEG, GIF and WebP. Default: false. */
  readonly dataImages?: boolean
  /** Returns a whole document instead of a fragment. Default: false. */
  readonly document?: boolean
  /** Prefix of every class. Default: `sf-`. */
  readonly classPrefix?: string
  /** Renders types of your own, and the standard ones in another way. What a function returns is HTML, as it is. */
  readonly components?: Readonly<Record<string, (node: TreeNode, helpers: HtmlHelpers) => string>>
  /** Called with URLs that were omitted. */
  readonly onDiagnostic?: (diagnostic: SurfaceDiagnostic) => void
}

/**
 * Renders a surface as semantic HTML without scripts; `""` if it is not rendered yet.
 * @throws SurfaceError `limit_exceeded` if the tree exceeds a limit
 */
export function renderSurfaceHtml(
  store: AnySurfaceStore,
  surfaceId: string,
  options: RenderSurfaceHtmlOptions = {},
): string {
  const { relativeUrls = false, dataImages = false, classPrefix = 'sf-' } = options
  const nodes = new Set<unknown>()
  const tree = treeOf(stateOfStore(store), surfaceId, nodes)
  const prefix = escapeHtml(classPrefix)
  const rules: UrlRules = { relativeUrls, dataImages }
  const { onDiagnostic, components = {} } = options
  const failures = new Map<string, string[]>()
  for (const { nodeId, message } of tree === null ? [] : checkSurface(store, surfaceId)) {
    failures.set(nodeId, [...(failures.get(nodeId) ?? []), message])
  }
  const settings: Settings = {
    prefix,
    rules,
    surfaceId,
    nodes,
    onDiagnostic,
    components,
    failures,
  }
  const content = tree === null ? '' : renderNode(tree, settings)
  if (options.document !== true) return content
  const title = escapeHtml(surfaceId)
  return `<!doctype html>\n<html><head><meta charset="utf-8"><title>${title}</title></head><body>${content}</body></html>\n`
}

interface Settings {
  readonly prefix: string
  readonly rules: UrlRules
  readonly surfaceId: string
  /** The nodes of the tree, since data may look like one. */
  readonly nodes: ReadonlySet<unknown>
  readonly onDiagnostic: RenderSurfaceHtmlOptions['onDiagnostic']
  readonly components: NonNullable<RenderSurfaceHtmlOptions['components']>
  /** The messages of the checks that fail, by node. */
  readonly failures: ReadonlyMap<string, readonly string[]>
}

function renderNode(node: TreeNode, settings: Settings): string {
  const { prefix } = settings
  const id = escapeHtml(node.id)
  if (node.type === null) return `<div class="${prefix}pending" data-id="${id}"></div>`
  const failed = (settings.failures.get(node.id) ?? []).map((message) => {
    return `<p class="${prefix}check" data-id="${id}">${escapeHtml(message)}</p>`
  })
  return renderType(node, node.type, settings) + failed.join('')
}

function renderType(node: TreeNode, type: string, settings: Settings): string {
  const own = ownValue(settings.components, type) as Settings['components'][string] | undefined
  if (own !== undefined) {
    return own(node, {
      text: (value) =>
        escapeHtml(typeof value === 'string' || typeof value === 'number' ? String(value) : ''),
      attributes: formatAttributes,
      children: (value) =>
        findNodes(value === node ? node.properties : value, settings)
          .map((child) => renderNode(child, settings))
          .join(''),
    })
  }
  const context = createContext(node, settings)
  const renderer: Renderer | undefined = standardRenderers.get(type)
  if (renderer !== undefined) return renderer(context)
  const inner = findNodes(node.properties, settings).map((child) => renderNode(child, settings))
  return `${context.tag('div', { 'data-type': type })}${inner.join('')}</div>`
}

function createContext(node: TreeNode, settings: Settings): HtmlContext {
  const { prefix, rules, surfaceId, onDiagnostic } = settings
  const { properties, componentId } = node
  const child = (value: unknown): string =>
    isNode(value, settings) ? renderNode(value, settings) : ''
  return {
    node,
    properties,
    child,
    children: (value) => (Array.isArray(value) ? value.map(child) : []),
    tag(name, attributes = {}) {
      const className = prefix + escapeHtml(kebab(node.type ?? ''))
      const known = formatAttributes({ 'data-id': node.id, ...named(node, name), ...attributes })
      return `<${name} class="${className}"${known}>`
    },
    url(name, value): Readonly<Record<string, string | boolean>> {
      if (typeof value !== 'string') return {}
      const safe = safeUrl(value, rules)
      if (safe !== null) return { [name]: safe }
      onDiagnostic?.({
        code: 'unsafe_url',
        severity: 'warning',
        message: 'A URL was removed because it is not allowed.',
        path: '',
        surfaceId,
        componentId,
      })
      return { 'data-unsafe-url': true }
    },
  }
}

/** Elements whose control inside has the name. */
const LABELS = new Set(['label', 'details'])

/** The accessible name and description of an element. */
function named({ properties }: TreeNode, tag: string): Readonly<Record<string, string>> {
  const { accessibility } = properties
  if (!isPlainObject(accessibility) || LABELS.has(tag)) return {}
  const { label, description } = accessibility
  return {
    ...(typeof label === 'string' ? { 'aria-label': label } : {}),
    ...(typeof description === 'string' ? { 'aria-description': description } : {}),
  }
}

function kebab(type: string): string {
  return type.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()
}

function isNode(value: unknown, { nodes }: Settings): value is TreeNode {
  return nodes.has(value)
}

/** The nodes in the properties of an unknown type, in order. */
function findNodes(value: unknown, settings: Settings): TreeNode[] {
  if (isNode(value, settings)) return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((member: unknown) => findNodes(member, settings))
}
