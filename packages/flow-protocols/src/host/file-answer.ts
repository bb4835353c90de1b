import { fileNameOf, mimeTypeOf } from '@x/wire'

/** Types that a browser shows in place; everything else is downloaded. */
const SHOWN = /^(image\/|audio\/|video\/|application\/pdf$)/
const RANGE = /^bytes=(\d*)-(\d*)$/

/** A file for an `<img>`: its type, and byte ranges. */
export function fileAnswer(request: Request, path: string, bytes: Uint8Array): Response {
  const type = mimeTypeOf(path)
  const headers = new Headers({
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'content-disposition': `${SHOWN.test(type) ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(fileNameOf(path))}`,
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'private, max-age=300',
    'accept-ranges': 'bytes',
  })
  const range = readRange(request.headers.get('range'), bytes.length)
  if (range === 'wrong') {
    headers.set('content-range', `bytes */${bytes.length}`)
    return new Response(null, { status: 416, headers })
  }
  if (range === undefined) return new Response(new Uint8Array(bytes), { headers })
  const [start, end] = range
  headers.set('content-range', `bytes ${start}-${end}/${bytes.length}`)
  return new Response(new Uint8Array(bytes.subarray(start, end + 1)), { status: 206, headers })
}

function readRange(header: string | null, size: number): [number, number] | 'wrong' | undefined {
  const [, from, to] = RANGE.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return start > end || start >= size ? 'wrong' : [start, end]
}
