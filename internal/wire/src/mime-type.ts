const TYPES = new Map([
  ['bmp', 'image/bmp'],
  ['bz2', 'application/x-bzip2'],
  ['csv', 'text/csv'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['gif', 'image/gif'],
  ['gz', 'application/gzip'],
  ['htm', 'text/html'],
  ['html', 'text/html'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['svg', 'image/svg+xml'],
  ['tar', 'application/x-tar'],
  ['txt', 'text/plain'],
  ['wav', 'audio/wav'],
  ['webm', 'video/webm'],
  ['webp', 'image/webp'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['zip', 'application/zip'],
])

/** Returns the MIME type for a file extension; `application/octet-stream` if unknown. */
export function mimeTypeOf(path: string): string {
  return TYPES.get(extensionOf(path)) ?? 'application/octet-stream'
}

/** Returns the lower-case extension without the dot; "" if there is none. */
export function extensionOf(path: string): string {
  const name = fileNameOf(path)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
}

/** Returns the last segment of a path. */
export function fileNameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
