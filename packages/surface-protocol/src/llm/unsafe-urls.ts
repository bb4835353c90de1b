import { quote, type SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { formatPointer, isPlainObject, ownValue } from '../json.ts'
import type { UrlOptions } from './extract-options.ts'
import { isSafeUrl, LINK_SCHEMES, MEDIA_SCHEMES } from '../message/url-schemes.ts'

const MEDIA_TYPES = new Set(['Image', 'Video', 'AudioPlayer'])
/** Links and images of Markdown, references and autolinks. */
const markdownLink =
  /(!?)\]\(\s*(<[^<>\n]{0,2000}>|[^\s()<>]{0,2000})|^[ \t]{0,3}\[[^\]\n]{1,200}\]:\s*<?([^\s<>]{1,2000})|<([a-z][a-z\d+.-]{1,30}:[^\s<>]{0,2000})>/gim

interface Found {
  readonly path: (string | number)[]
  readonly componentId: string | undefined
  readonly url: string
  readonly kind: 'link' | 'media'
}

/** The URLs in a message whose scheme is not allowed, wherever they stand literally. */
export function unsafeUrlsIn(message: unknown, options: UrlOptions): SurfaceDiagnostic[] {
  const { unsafeUrls = 'refuse', urlSchemes = {} } = options
  if (unsafeUrls === 'allow' || !isPlainObject(message)) return []
  const allowed = {
    link: urlSchemes.link ?? LINK_SCHEMES,
    media: urlSchemes.media ?? MEDIA_SCHEMES,
  }
  const found: Found[] = []
  for (const [kind, payload] of Object.entries(message)) {
    const list = isPlainObject(payload) ? payload.components : undefined
    if (!Array.isArray(list)) continue
    list.forEach((component: unknown, index) => {
      if (isPlainObject(component)) collect(component, [kind, 'components', index], found)
    })
  }
  return found
    .filter(({ url, kind }) => !isSafeUrl(url, allowed[kind]))
    .map(({ path, componentId, url }) => ({
      code: 'unsafe_url',
      severity: unsafeUrls === 'refuse' ? 'error' : 'warning',
      message: `The URL ${quote(url)} has a scheme that is not allowed.`,
      path: formatPointer(path),
      ...(componentId === undefined ? {} : { componentId }),
    }))
}

function collect(
  component: Record<string, unknown>,
  path: (string | number)[],
  found: Found[],
): void {
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
  for (const [whole, , link, reference, auto] of text?.matchAll(markdownLink) ?? []) {
    const target = (link ?? reference ?? auto ?? '').replaceAll(/^<|>$/g, '')
    add(target, 'link', [...at, 'text'])
    if (whole === '') break
  }
  const stack: { value: unknown; where: (string | number)[] }[] = [{ value: properties, where: at }]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { value, where } = top
    if (where.length > 64 || typeof value !== 'object' || value === null) continue
    const args = isPlainObject(value) && value.call === 'openUrl' ? value.args : undefined
    const target = isPlainObject(args) ? literalOf(args.url) : null
    if (target !== null) add(target, 'link', [...where, 'args', 'url'])
    const members: [string | number, unknown][] = Array.isArray(value)
      ? value.map((member: unknown, index): [number, unknown] => [index, member])
      : Object.entries(value)
    for (const [key, member] of members) stack.push({ value: member, where: [...where, key] })
  }
}

function literalOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  const literal = isPlainObject(value) ? value.literalString : undefined
  return typeof literal === 'string' ? literal : null
}
