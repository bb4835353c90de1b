// The tests that attack what is shipped: those of the reference server and those that start built packages,
// by the rules in their titles, and whether each of them holds a time or an amount of memory to a limit.
import ts from 'typescript'
import { filesBelow, readSource } from './sources.mjs'

const SHIPPED = /^tests\/.*\.(?:test|long)\.ts$|\.long\.ts$/
const MEASURES =
  /\b(?:besideHealth|keepsAnswering|stopwatch|processorMs|memoryOf|HEALTH|HEALTH_NOTED|IN_TIME|performance\.now|max-old-space-size)\b/
const RULES = /\bAB-(\d+)(?: to AB-(\d+))?/g

/** Rule to true if one of the tests that name it measures. */
export function shippedRules() {
  const rules = new Map()
  for (const folder of ['packages', 'examples', 'internal', 'tests']) {
    for (const path of filesBelow(folder, (name) => SHIPPED.test(name))) {
      for (const { titles, measures } of testsOf(path)) {
        for (const rule of rulesIn(titles.join('\n')))
          rules.set(rule, measures || rules.get(rule) === true)
      }
    }
  }
  return rules
}

function rulesIn(text) {
  return [...text.matchAll(RULES)].flatMap(([, first, last = first]) =>
    Array.from({ length: last - first + 1 }, (_, n) => `AB-${Number(first) + n}`),
  )
}

/** Each test with the titles above it. A test measures itself, or by a function of its file. */
function testsOf(path) {
  const source = ts.createSourceFile(path, readSource(path), ts.ScriptTarget.Latest, true)
  const helpers = measuringHelpers(source)
  const found = []
  const visit = (node, above) => {
    const kind =
      ts.isCallExpression(node) && /^(?:test|it|describe)\b/.exec(node.expression.getText())
    const title = kind ? node.arguments[0] : undefined
    const titles = title === undefined ? above : [...above, title.getText()]
    if (title !== undefined && kind[0] !== 'describe')
      found.push({ titles, measures: helpers.test(node.getText()) })
    else ts.forEachChild(node, (child) => visit(child, titles))
  }
  visit(source, [])
  return found
}

/** A pattern of what measures in a file: the known names, and the functions that use them. */
function measuringHelpers(source) {
  const functions = new Map()
  const visit = (node) => {
    const name = (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) && node.name
    const code = ts.isVariableDeclaration(node) ? node.initializer : node
    if (name && ts.isIdentifier(name) && code && ts.isFunctionLike(code))
      functions.set(name.text, node.getText())
    ts.forEachChild(node, visit)
  }
  visit(source)
  const known = [MEASURES.source]
  for (;;) {
    const pattern = new RegExp(known.join('|'))
    const next = [...functions].find(([, code]) => pattern.test(code))
    if (next === undefined) return pattern
    functions.delete(next[0])
    known.push(`\\b${next[0]}\\b`)
  }
}
