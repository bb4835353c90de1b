import type { Jq } from 'jq-wasm'

let loading: Promise<Jq> | undefined

/**
 * All results of a jq 1.8 expression. It is compiled and run in WebAssembly without access to files,
 * network or environment.
 * @throws TypeError with jq's words for an expression or data that do not fit
 */
export async function queryJson(query: string, input: unknown): Promise<unknown[]> {
  const jq = await (loading ??= import('jq-wasm').then(({ loadJq }) => loadJq()))
  // The blank keeps an expression that begins with a minus from being read as an option.
  const { stdout, stderr, exitCode } = run(jq, ` ${query}`, JSON.stringify(input))
  if (exitCode !== 0) throw new TypeError(readProblem(stderr))
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
}

function run(jq: Jq, query: string, input: string): ReturnType<Jq['raw']> {
  try {
    return jq.raw(input, query, ['-c'])
  } catch (error) {
    // Out of memory or stack leaves the instance in an unknown state: the next query gets a new one.
    loading = undefined
    throw new TypeError('the expression takes too much memory', { cause: error })
  }
}

function readProblem(stderr: string): string {
  return stderr
    .replaceAll(/^jq: (?:error(?: \(at [^)]*\))?: )?/gm, '')
    .replace(/\s*\d+ compile errors?\s*$/, '')
    .replace(/ at <top-level>, line (\d+), column (\d+)/, ' in line $1')
    .trim()
}
