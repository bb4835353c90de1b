import { byId, make } from './elements.ts'

/** Advice by error message; the first match counts. */
const HINTS: readonly (readonly [message: RegExp, advice: string, page?: string])[] = [
  [
    /API key is required|variable not found|variable that .* names was not found/,
    'Store the key under Variables',
    '#variables',
  ],
  [/SERVICE_SSRF_ALLOW/, 'The operator names private hosts that flows may reach in this setting.'],
  [/timed out|took longer/i, 'Try again, or give the node a longer limit.'],
]

/** Clears the list of failures of a run. */
export function clearProblems(): void {
  const list = byId('problems', HTMLUListElement)
  list.hidden = true
  list.replaceChildren()
}

/** Adds a failed node with its error, and advice if there is any. */
export function showProblem(node: string, reason: string): void {
  const list = byId('problems', HTMLUListElement)
  const item = make('li', `${node}: ${reason}`)
  const [, advice, page] = HINTS.find(([message]) => message.test(reason)) ?? []
  if (advice !== undefined)
    item.append(' ', page === undefined ? make('span', advice) : make('a', advice, { href: page }))
  list.append(item)
  list.hidden = false
}
