import { decodeEntities } from './html-entities.ts'

/** Schemes of links. */
export const LINK_SCHEMES = ['http', 'https', 'mailto', 'tel']
/** Schemes of images, videos and sounds. */
export const MEDIA_SCHEMES = [
  'http',
  'https',
  'data:image/png',
  'data:image/jpeg',
  'data:image/gif',
  'data:image/webp',
]

/** Judges a URL as a lenient client reads it. */
export function isSafeUrl(url: string, allowed: readonly string[]): boolean {
  const plain = decodeEntities(url)
    // eslint-disable-next-line no-control-regex -- clients ignore them
    .replaceAll(/[\s\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060\ufeff]/g, '')
    .replaceAll(/%(?:3a)/gi, ':')
    .toLowerCase()
  const scheme = /^([^/?#:]*):/.exec(plain)?.[1]
  if (scheme === undefined) return true
  return allowed.some((one) =>
    one.includes(':') ? new RegExp(`^${escape(one)}[;,]`).test(plain) : scheme === one,
  )
}

function escape(text: string): string {
  return text.toLowerCase().replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)
}
