import { extensionOf } from '@x/wire'

/** Read as text. */
export const textExtensions = [
  'csv',
  'json',
  'pdf',
  'txt',
  'md',
  'mdx',
  'yaml',
  'yml',
  'xml',
  'html',
  'htm',
  'docx',
  'py',
  'sh',
  'sql',
  'js',
  'ts',
  'tsx',
] as const

/** Images and office files, which need a document parser. */
export const advancedExtensions = [
  'adoc',
  'asciidoc',
  'asc',
  'bmp',
  'dotx',
  'dotm',
  'docm',
  'jpg',
  'jpeg',
  'png',
  'potx',
  'ppsx',
  'pptm',
  'potm',
  'ppsm',
  'pptx',
  'tiff',
  'xls',
  'xlsx',
  'xhtml',
  'webp',
] as const

/** Archives whose files are read. */
export const bundleExtensions = ['zip', 'tar', 'tgz', 'bz2', 'gz'] as const

const texts: ReadonlySet<string> = new Set(textExtensions)
const advanced: ReadonlySet<string> = new Set(advancedExtensions)
const bundles: ReadonlySet<string> = new Set(bundleExtensions)

type FileClass = 'text' | 'advanced' | 'bundle' | 'unknown'

/** Classifies a file by its extension. */
export function classify(path: string): FileClass {
  const extension = extensionOf(path)
  if (texts.has(extension)) return 'text'
  if (advanced.has(extension)) return 'advanced'
  return bundles.has(extension) ? 'bundle' : 'unknown'
}
