import { append } from '@x/wire'
import { quote, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { formatPointer, isPlainObject, ownValue } from '../json.ts'
import { isSafeUrl, LINK_SCHEMES, MEDIA_SCHEMES } from './url-schemes.ts'

/** Treatment of URLs. */
export interface UrlOptions {
  /**
   * Treatment of a URL whose scheme is not allowed. Default: warn; refuse for a model's output.
   */
  readonly unsafeUrls?: 'warn' | 'refuse' | 'allow'
  /** Allowed schemes. Default: http, https, mailto, tel for links; http, https and data of images for media. */
  readonly urlSchemes?: { readonly link?: readonly string[]; readonly media?: readonly string[] }
}

/** The same, resolved: null if any URL is allowed. */
export type UrlRule = {
  readonly severity: 'error' | 'warning'
  readonly link: readonly string[]
  readonly media: readonly string[]
} | null

/** @throws TypeError for another treatment */
export function resolveUrls(
  { unsafeUrls, urlSchemes = {} }: UrlOptions,
  preset: 'warn' | 'refuse' = 'warn',
): UrlRule {
  const treatment = unsafeUrls ?? preset
  if (!['warn', 'refuse', 'allow'].includes(treatment)) {
    throw new TypeError('unsafeUrls must be warn, refuse or allow')
  }
  if (treatment === 'allow') return null
  const { link = LINK_SCHEMES, media = MEDIA_SCHEMES } = urlSchemes
  return { severity: treatment === 'refuse' ? 'error' : 'warning', link, media }
}

const MEDIA_TYPES = new Set(['Image', 'Video', 'AudioPlayer'])
/** Links and images of Markdown, references and autolinks. */
const markdownLink =
  /(!?)\]\(\s*(<[^<>\n]{0,2000}>|[^\s()<>]{0,2000})|^[ \t]{0,3}\[[^\]\n]{1,200}\]:\s*<?([^\s<>]{1,2000})|<([a-z][a-z\d+.-]{1,30}:[^\s<>]{0,2000})>/gim

/** A URL of a component. */
export interface FoundUrl {
  readonly path: (string | number)[]
  readonly componentId: string | undefined
  readonly url: string
  readonly kind: 'link' | 'media'
}

interface UrlReading {
  readonly textOf?: (value: Record<string, unknown>) => string | null
  readonly isOther?: (value: object) => boolean
}

/** Maximum number of findings for one message. */
const MAX_FOUND = 100

/** The URLs in a message whose scheme is not allowed, wherever they stand literally. */
export function unsafeUrlsIn(message: unknown, rule: UrlRule): SurfaceDiagnostic[] {
  if (rule === null || !isPlainObject(message)) return []
  const found: FoundUrl[] = []
  for (const [kind, payload] of Object.entries(message)) {
    const list = isPlainObject(payload) ? payload.components : undefined
    if (!Array.isArray(list)) continue
    list.forEach((component: unknown, index) => {
      if (isPlainObject(component)) append(found, urlsOf(component, [kind, 'components', index]))
    })
  }
  return unsafeOf(found, rule)
}

/** The diagnostics of those that are not allowed. */
export function unsafeOf(
  found: readonly FoundUrl[],
  rule: NonNullable<UrlRule>,
): SurfaceDiagnostic[] {
  return found
    .filter(({ url, kind }) => !isSafeUrl(url, rule[kind]))
    .slice(0, MAX_FOUND)
    .map(({ path, componentId, url }) => ({
      code: 'unsafe_url',
      severity: rule.severity,
      message: `The URL ${quote(url)} has a scheme that is not allowed.`,
      path: formatPointer(path),
      ...(componentId === undefined ? {} : { componentId }),
    }))
}

/**
 * The URLs of a component: of media, of links in Markdown, of calls that open one.
 * @param textOf the text for a value that is none; null for none
 * @param isOther true for what belongs to another component
 */
export function urlsOf(
  component: Record<string, unknown>,
  path: (string | number)[],
  { textOf = () => null, isOther = () => false }: UrlReading = {},
): FoundUrl[] {
  const found: FoundUrl[] = []
  const { id, component: kind } = component
  const componentId = typeof id === 'string' ? id : undefined
  const [type = '', inner] = isPlainObject(kind) ? (Object.entries(kind)[0] ?? []) : []
  const name = typeof kind === 'string' ? kind : type
  const properties = isPlainObject(inner) ? inner : component
  const at = isPlainObject(inner) ? [...path, 'component', type] : path
  const add = (url: string, urlKind: 'link' | 'media', where: (string | number)[]): void => {
    found.push({ path: where, componentId, url, kind: urlKind })
  }
  const url = literalOf(ownValue(properties, 'url'))
  if (MEDIA_TYPES.has(name) && url !== null) add(url, 'media', [...at, 'url'])
  const text = name === 'Text' ? literalOf(ownValue(properties, 'text')) : null
  for (const [, , link, reference, auto] of text?.matchAll(markdownLink) ?? []) {
    const target = (link ?? reference ?? auto ?? '').replaceAll(/^<|>$/g, '')
    add(target, 'link', [...at, 'text'])
  }
  // A value of a program may contain itself.
  const seen = new Set<object>()
  const stack: { value: object; where: (string | number)[] }[] = [{ value: properties, where: at }]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { value, where } = top
    if (where.length > 64 || seen.has(value) || isOther(value)) continue
    seen.add(value)
    const opens = isPlainObject(value) && (value.call ?? value['@call']) === 'openUrl'
    const args = opens ? value.args : undefined
    const asked = isPlainObject(args) ? args.url : undefined
    const target = literalOf(asked) ?? (isPlainObject(asked) ? textOf(asked) : null)
    if (target !== null) add(target, 'link', [...where, 'args', 'url'])
    // Texts hold nothing: a list of many ids costs no more than a look at each.
    const isList = Array.isArray(value)
    for (const [key, member] of isList ? value.entries() : Object.entries(value)) {
      if (typeof member === 'object' && member !== null) {
        stack.push({ value: member, where: [...where, key] })
      }
    }
  }
  return found
}

function literalOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  const literal = isPlainObject(value) ? value.literalString : undefined
  return typeof literal === 'string' ? literal : null
}
