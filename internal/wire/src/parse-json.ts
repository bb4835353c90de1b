import { jsonProblem } from './json-problem.ts'

/**
 * Parses untrusted JSON.
 * @throws SyntaxError, also for JSON that is too expensive to parse
 */
export function parseJson(text: string): unknown {
  const problem = jsonProblem(text)
  if (problem !== null) throw new SyntaxError(`The JSON text is ${problem}`)
  return JSON.parse(text)
}
