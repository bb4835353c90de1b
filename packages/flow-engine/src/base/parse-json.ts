import { jsonProblem } from './json-problem.ts'

/**
 * The value of a JSON text from outside.
 * @throws SyntaxError, also for a text that is too heavy to be parsed (AB-52)
 */
export function parseJson(text: string): unknown {
  const problem = jsonProblem(text)
  if (problem !== null) throw new SyntaxError(`The JSON text is ${problem}`)
  return JSON.parse(text)
}
