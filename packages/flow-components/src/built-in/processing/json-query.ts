import type { Jq, JqResult } from 'jq-wasm'
import type { ComponentContext } from '@x/flow-engine'
import { notBeside } from '@x/wire'
import { workCaller } from '@x/flow-engine/internal'

let loading: Promise<Jq> | undefined

/**
 * Returns all results of a jq 1.8 expression. jq runs in WebAssembly without access to files, network or
 * environment: in the host's `jsonQueries`, which can abort it, or else in this thread.
 * @throws TypeError with jq's message for an invalid expression or data
 * @throws RangeError for data nested too deeply
 */
export async function queryJson(
  query: string,
  input: unknown,
  ctx: Pick<ComponentContext, 'services' | 'signal' | 'userId'>,
): Promise<unknown[]> {
  const { jsonQueries } = ctx.services
  if (jsonQueries !== undefined) return jsonQueries.query(query, input, workCaller(ctx))
  const jq = await (loading ??= loadLibrary())
  const text = JSON.stringify(input)
  try {
    return readQueryResult(jq.raw(text, queryArgument(query), ['-c']))
  } catch (error) {
    if (error instanceof TypeError) throw error
    // Running out of memory or stack leaves the instance in an unknown state, so the next query gets a new
    // one.
    loading = undefined
    throw new TypeError(OUT_OF_MEMORY, { cause: error })
  }
}

async function loadLibrary(): Promise<Jq> {
  try {
    const { loadJq } = await import('jq-wasm')
    return await loadJq()
  } catch (error) {
    loading = undefined
    throw notBeside('JSON queries', 'jq-wasm', error)
  }
}

export const OUT_OF_MEMORY = 'the expression takes too much memory'

/** The leading space keeps an expression that starts with a minus from being parsed as an option. */
export function queryArgument(query: string): string {
  return ` ${query}`
}

/**
 * Parses jq's output, one value per line.
 * @throws TypeError with jq's message if it failed
 */
export function readQueryResult({ stdout, stderr, exitCode }: JqResult): unknown[] {
  if (exitCode !== 0) throw new TypeError(readProblem(stderr))
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
}

function readProblem(stderr: string): string {
  return stderr
    .replaceAll(/^jq: (?:error(?: \(at [^)\n]*\))?: )?/gm, '')
    .replace(/(?<!\d)\d+ compile errors?\s*$/, '')
    .trimEnd()
    .replace(/ at <top-level>, line (\d+), column (\d+)/, ' in line $1')
    .replace(/^(Cannot index \w+ with )(?:number \(.*\)|string \((.*)\))$/s, (_all, index, key) =>
      key === undefined ? `${index}number` : `${index}string ${key}`,
    )
    .trim()
}
