import { dirname, resolve } from 'node:path'
import { stat } from 'node:fs/promises'
import { errorText } from '@x/flow-engine'
import { FoundError, UsageError, type Call, type Command } from '../command/command.ts'
import { findPaths } from '../command/flow-files.ts'
import { writeText } from '../command/write-files.ts'
import { acceptReplay, replay } from '../recording/replay-run.ts'
import { loadConfig } from '../command/load-config.ts'

export const test: Command = {
  name: 'test',
  purpose: 'replay recorded runs without a network and name the first difference',
  usage: ['[folders] [--update] [--junit FILE]'],
  options: [
    { name: 'update', text: 'accept results all of whose requests were recorded', fallback: 'off' },
    { name: 'junit', value: 'FILE', text: 'write the results as JUnit XML', fallback: 'none' },
  ],
  found: 'a replay differs from its recording',
  example: 'x-flow test tests',
  async run(call) {
    if (call.isOn('update') && call.env['CI'] === 'true')
      throw new UsageError('--update is refused in CI (CI=true)')
    const config = await loadConfig(call)
    const results: TestResult[] = []
    for (const folder of await recordingsOf(call)) {
      const result = await testOne(call, folder, config)
      results.push(result)
      if (!call.json) report(call, result)
    }
    const failed = results.filter(({ ok }) => !ok).length
    const passed = results.length - failed
    if (call.json) call.print(JSON.stringify({ passed, failed, tests: results }))
    const junit = call.text('junit')
    if (junit !== undefined) await writeText(resolve(call.cwd, junit), junitText(results))
    call.summary(`test: ${passed} passed, ${failed} failed`)
    return failed === 0 ? 0 : 1
  },
}

interface TestResult {
  readonly folder: string
  readonly ok: boolean
  readonly message?: string
  readonly updated?: true
}

async function testOne(
  call: Call,
  folder: string,
  config: Awaited<ReturnType<typeof loadConfig>>,
): Promise<TestResult> {
  try {
    const { components, services } = config
    const { mismatch, got, isWhole } = await replay(resolve(call.cwd, folder), {
      shown: folder,
      signal: call.signal,
      ...(components === undefined ? {} : { components }),
      ...(services === undefined ? {} : { services }),
    })
    if (mismatch === undefined) return { folder, ok: true }
    if (!call.isOn('update') || !isWhole) return { folder, ok: false, message: mismatch.message }
    await acceptReplay(resolve(call.cwd, folder), got)
    return { folder, ok: true, updated: true }
  } catch (error) {
    if (error instanceof UsageError || call.signal.aborted) throw error
    return { folder, ok: false, message: `${folder}: ${errorText(error)}` }
  }
}

function report(call: Call, { folder, ok, message }: TestResult): void {
  call.print(`${ok ? 'ok' : 'not ok'} ${folder}`)
  if (message !== undefined) call.print(message)
}

/** The folders below the arguments that hold a recording. */
async function recordingsOf(call: Call): Promise<string[]> {
  const args = call.args.length === 0 ? ['.'] : call.args
  for (const arg of args) {
    const found = await stat(resolve(call.cwd, arg)).catch(() => undefined)
    if (found === undefined) throw new UsageError(`${arg} does not exist`)
    if (!found.isDirectory()) throw new UsageError(`${arg} is not a folder`)
  }
  const { paths } = await findPaths(
    { cwd: call.cwd, args },
    { suffix: '/run.json', what: 'folder' },
  )
  if (paths.length === 0) throw new FoundError(`there is no recorded run in ${args.join(' ')}`)
  return paths.map((path) => dirname(path))
}

function junitText(results: readonly TestResult[]): string {
  const cases = results.map(({ folder, message }) => {
    const failure =
      message === undefined ? '' : `<failure message="differs">${escape(message)}</failure>`
    return `  <testcase classname="x-flow" name="${escape(folder)}">${failure}</testcase>`
  })
  const failures = results.filter(({ ok }) => !ok).length
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="x-flow" tests="${results.length}" failures="${failures}">\n${cases.join('\n')}\n</testsuite>\n`
}

function escape(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\n\t]|[\ufffe\uffff]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
}
