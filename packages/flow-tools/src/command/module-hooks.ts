/**
 * Hooks of Node that load TypeScript and JSON below the modules that carry the mark `?x-flow=`. Text, because they
 * run in a thread of their own, which has no place among the files of a bundle.
 */
export const MODULE_HOOKS = `
import parser from PARSER
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

let port
export function initialize(given) {
  port = given
}

export async function resolve(specifier, context, next) {
  const parent = context.parentURL?.startsWith('file:') ? new URL(context.parentURL) : undefined
  const mark = parent?.searchParams.get('x-flow')
  if (typeof mark !== 'string' || !/^[.]{1,2}\\//.test(specifier)) return next(specifier, context)
  let url = new URL(specifier, parent)
  const source = new URL(url.href.replace(/\\.([cm]?)js$/, '.$1ts'))
  if (!existsSync(fileURLToPath(url)) && existsSync(fileURLToPath(source))) url = source
  url.searchParams.set('x-flow', mark)
  if (/\\.[cm]?ts$|\\.json$/.test(url.pathname)) return { url: url.href, shortCircuit: true }
  return next(url.href, context)
}

export async function load(address, context, next) {
  const url = address.startsWith('file:') ? new URL(address) : undefined
  if (url === undefined || !url.searchParams.has('x-flow')) return next(address, context)
  port.postMessage(fileURLToPath(url))
  const file = () => readFile(fileURLToPath(url), 'utf8')
  if (url.pathname.endsWith('.json')) {
    const source = 'export default JSON.parse(' + JSON.stringify(await file()) + ')'
    return { format: 'module', source, shortCircuit: true }
  }
  if (!/\\.[cm]?ts$/.test(url.pathname)) return next(address, context)
  try {
    const { code } = parser.transformSync(await file(), { mode: 'strip-only', module: true })
    return { format: 'module', source: code, shortCircuit: true }
  } catch (error) {
    const { startLine, startColumn, message } = error
    if (startLine === undefined) throw error
    const place = url.href.replace(/[?].*/, '') + ':' + startLine + ':' + (startColumn + 1)
    throw new Error(place + ' ' + message.split('\\n')[0])
  }
}
`
