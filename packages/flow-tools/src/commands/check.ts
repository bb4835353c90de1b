import { FlowCompileError } from '@x/flow-engine'
import { checkFlow, createRegistry } from '@x/flow-engine'
import { builtinComponents } from '@x/flow-components'
import { resolve } from 'node:path'
import { formatFlow } from '../code/format-flow.ts'
import { oneLine } from '../code/flow-difference.ts'
import { secretValues } from '../code/secret-values.ts'
import { FoundError, UsageError, type Call, type Command } from '../command/command.ts'
import { findPaths, readFlow, type FlowFile } from '../command/flow-files.ts'
import { plural } from '../command/plural.ts'
import { readText } from '../command/write-files.ts'
import { buildFlow } from './build-flow.ts'
import { readConflicts } from './read-conflicts.ts'
import { staleTypes } from './types-files.ts'

export const check: Command = {
  name: 'check',
  purpose: 'find what is wrong with flow files: one command for CI',
  usage: ['<files> [--strict] [--format] [--build]'],
  options: [
    { name: 'strict', text: 'warnings end with 1 too', fallback: 'off' },
    { name: 'format', text: 'a file in another form is an error', fallback: 'a warning' },
    { name: 'build', text: 'run the source of a flow and compare', fallback: 'off' },
  ],
  found: 'a flow has an error, or with --strict a warning',
  example: 'x-flow check flows --strict',
  takesFlows: true,
  async run(call) {
    const { paths, named } = await findPaths(call, { suffix: '.json', what: 'flow file' })
    const components = createRegistry(builtinComponents)
    const findings: Finding[] = []
    let flows = 0
    for (const path of paths) {
      const file = await fileOf(call, path, named.has(path), findings)
      if (file === undefined) continue
      flows += 1
      for (const finding of await findingsOf(call, file, components)) findings.push(finding)
    }
    const errors = findings.filter(({ severity }) => severity === 'error').length
    const warnings = findings.length - errors
    if (call.json) call.print(JSON.stringify({ findings }))
    else
      for (const { file, severity, code, message } of findings)
        call.print(`${file}: ${severity} ${code}: ${oneLine(message)}`)
    call.summary(
      `check: ${plural(flows, 'flow')}, ${plural(errors, 'error')}, ${plural(warnings, 'warning')}`,
    )
    return errors > 0 || (call.isOn('strict') && warnings > 0) ? 1 : 0
  },
}

interface Finding {
  readonly file: string
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly node?: string
}

/** Undefined for what is no flow: an error if it was named or cannot be read. */
async function fileOf(
  call: Call,
  path: string,
  isNamed: boolean,
  findings: Finding[],
): Promise<FlowFile | undefined> {
  try {
    return await readFlow(call.cwd, path)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const isOther = !isNamed && error.message.includes(' is not a flow ')
    if (!isOther && !path.endsWith('.conflicts.json')) {
      const message = error.message.replace(`${path} `, '')
      findings.push({ file: path, severity: 'error', code: 'invalid_flow', message })
    }
    return undefined
  }
}

async function findingsOf(
  call: Call,
  file: FlowFile,
  components: ReturnType<typeof createRegistry>,
): Promise<Finding[]> {
  const found: Finding[] = problemsOf(file, components)
  const add = (
    severity: Finding['severity'],
    code: string,
    message: string,
    node?: string,
  ): void => {
    found.push({
      file: file.path,
      severity,
      code,
      message,
      ...(node === undefined ? {} : { node }),
    })
  }
  const hasTypes = await readText(`${resolve(call.cwd, file.path)}.d.ts`)
  if (hasTypes !== undefined) {
    const notes: string[] = []
    await staleTypes({ cwd: call.cwd, note: (line) => notes.push(line) }, file)
    for (const note of notes) add('error', 'stale_types', note)
  }
  if (call.isOn('build')) {
    const source = file.path.replace(/\.json$/, '.flow.ts')
    const stale = await staleBuild(call, file, source)
    if (stale !== undefined) add('error', 'stale_build', stale)
  }
  for (const { message, node } of secretValues(file.flow))
    add('error', 'secret_value', message, node)
  const conflicts = await readConflicts(file.absolute, file.path)
  if (conflicts.length > 0) {
    const isOne = conflicts.length === 1
    add(
      'error',
      'conflict',
      `${plural(conflicts.length, 'merge conflict')} ${isOne ? 'is' : 'are'} not decided`,
    )
  }
  if (formatFlow(file.flow) !== file.text)
    add(
      call.isOn('format') ? 'error' : 'warning',
      'not_formatted',
      `Run: x-flow format ${file.path}`,
    )
  return found
}

/** What is wrong with the source beside a flow; undefined if there is none or it builds the file. */
async function staleBuild(call: Call, file: FlowFile, source: string): Promise<string | undefined> {
  if ((await readText(resolve(call.cwd, source))) === undefined) return undefined
  try {
    const text = await buildFlow(call.cwd, source)
    return text === file.text
      ? undefined
      : `It is not what ${source} builds. Run: x-flow build ${source}`
  } catch (error) {
    if (error instanceof FoundError || error instanceof UsageError) return error.message
    throw error
  }
}

function problemsOf(file: FlowFile, components: ReturnType<typeof createRegistry>): Finding[] {
  try {
    return checkFlow(file.flow, { components }).map(({ severity, code, message, nodeId }) => ({
      file: file.path,
      severity,
      code,
      message,
      ...(nodeId === undefined ? {} : { node: nodeId }),
    }))
  } catch (error) {
    if (!(error instanceof FlowCompileError)) throw error
    return [{ file: file.path, severity: 'error', code: 'invalid_flow', message: error.message }]
  }
}
