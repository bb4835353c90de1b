import { extensionOf, fileNameOf } from '@x/wire'
import { bundleExtensions } from './file-formats.ts'

/** Advice for files that cannot be read as text, by extension. */
const HELP: readonly (readonly [extensions: string, is: string, help: string])[] = [
  ['xlsx', 'a table', "choose it alone and use the output 'Structured Content', or save it as CSV"],
  ['xls', 'a table in an older format', 'save it as XLSX or CSV'],
  ['bmp jpg jpeg png tiff webp', 'a picture', 'attach it to the chat to show it to the model'],
  ['dotx dotm docm', 'a Word template or has macros', 'save it as DOCX or PDF'],
  ['pptx potx ppsx pptm potm ppsm', 'a presentation', 'save it as PDF'],
  ['xhtml', 'a page in XHTML', 'save it as HTML'],
]

const OTHER = ['', 'marked-up text', 'save it as TXT or HTML'] as const

/** Creates the error for a file that only a document parser could read; it suggests an alternative. */
export function notText(path: string): TypeError {
  const extension = extensionOf(path)
  const [, is, help] = HELP.find(([each]) => each.split(' ').includes(extension)) ?? OTHER
  return new TypeError(`File '${fileNameOf(path)}' cannot be read as text: it is ${is}; ${help}.`)
}

/** Explains why a file of an unsupported type was ignored. */
export function notRead(path: string): string {
  const extension = extensionOf(path)
  const kind = isBundle(extension)
    ? 'it contains no files of a supported type'
    : `files ${extension === '' ? 'without an extension' : `of type .${extension}`} are not supported`
  return `'${fileNameOf(path)}' was left out: ${kind}; save it as TXT, CSV, JSON, PDF or DOCX.`
}

function isBundle(extension: string): boolean {
  return (bundleExtensions as readonly string[]).includes(extension)
}
