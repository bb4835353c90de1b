const OFFICE = 'application/vnd.openxmlformats-officedocument'

const TYPES: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['svg', 'image/svg+xml'],
  ['webp', 'image/webp'],
  ['bmp', 'image/bmp'],
  ['json', 'application/json'],
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['pdf', 'application/pdf'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
  ['zip', 'application/zip'],
  ['tar', 'application/x-tar'],
  ['gz', 'application/gzip'],
  ['doc', 'application/msword'],
  ['docx', `${OFFICE}.wordprocessingml.document`],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', `${OFFICE}.spreadsheetml.sheet`],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', `${OFFICE}.presentationml.presentation`],
  ['xml', 'application/xml'],
  ['yaml', 'application/x-yaml'],
  ['yml', 'application/x-yaml'],
])

/** The media type for a file name's extension. */
export function contentTypeOf(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
  return TYPES.get(extension) ?? 'application/octet-stream'
}
