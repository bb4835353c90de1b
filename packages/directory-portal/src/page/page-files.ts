import { figureOf } from '../providers/figure.ts'
import { BUILT } from './built.ts'

/** A file of the page. */
export interface PageFile {
  readonly body: string
  readonly type: string
  /** Its name has a hash. */
  readonly immutable: boolean
}

/** The page; the same for everyone. @param folder what precedes the names of its files */
export function pageHtml(folder: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Directory</title>
<link rel="stylesheet" href="${folder}assets/${BUILT.style.name}">
<script type="module" src="${folder}assets/${BUILT.script.name}"></script>
</head>
<body></body>
</html>
`
}

/** The file of a path below the portal; null if there is none. */
export function pageFile(path: string): PageFile | null {
  if (path === 'element.js') return { body: BUILT.script.body, type: SCRIPT, immutable: false }
  const [folder, name = '', more] = path.split('/')
  if (more !== undefined) return null
  if (folder === 'figures') {
    const figure = name.endsWith('.svg') ? figureOf(name.slice(0, -'.svg'.length)) : null
    return figure === null ? null : { body: figure, type: 'image/svg+xml', immutable: false }
  }
  if (folder !== 'assets') return null
  if (name === BUILT.script.name) return { body: BUILT.script.body, type: SCRIPT, immutable: true }
  if (name === BUILT.style.name)
    return { body: BUILT.style.body, type: 'text/css; charset=utf-8', immutable: true }
  const words = BUILT.words.find((one) => one.name === name)
  return words === undefined
    ? null
    : { body: words.body, type: 'application/json', immutable: true }
}

const SCRIPT = 'text/javascript; charset=utf-8'
