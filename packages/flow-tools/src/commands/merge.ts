import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { formatFlow } from '../code/format-flow.ts'
import { displayName, nodesOf, oneLine, shownValue } from '../code/flow-difference.ts'
import { mergeFlows, type FlowConflict } from '../code/merge-flows.ts'
import { takeSide } from '../code/take-side.ts'
import { FoundError, UsageError, type Call, type Command } from '../command/command.ts'
import { readFlow } from '../command/flow-files.ts'
import { readText, writeText } from '../command/write-files.ts'
import { git } from './git.ts'
import { readConflicts } from './read-conflicts.ts'

/** The exit code with which git keeps ours and says so. */
const DRIVER_FAILED = 129
const PATTERN = 'flows/**/*.json'

export const merge: Command = {
  name: 'merge',
  purpose: 'merge two changes of a flow by nodes and fields, alone or as a driver of git',
  usage: [
    '<base> <ours> <theirs> [path]',
    '--install [pattern]',
    '--take SIDE <file> [--node ID --field NAME]',
  ],
  options: [
    { name: 'install', text: 'make git merge and show flows by this command', fallback: 'off' },
    {
      name: 'take',
      value: 'SIDE',
      text: 'decide conflicts: ours, theirs or base',
      fallback: 'none',
    },
    { name: 'node', value: 'ID', text: 'of the conflict to decide', fallback: 'all' },
    { name: 'field', value: 'NAME', text: 'of the conflict to decide', fallback: 'all' },
  ],
  found: 'there are conflicts; 129 instead of 2 when run by git',
  example: 'x-flow merge --install "flows/**/*.json"',
  async run(call) {
    if (call.isOn('install')) return install(call)
    const side = call.text('take')
    if (side !== undefined) return take(call, side)
    return mergeFiles(call)
  },
}

async function mergeFiles(call: Call): Promise<number> {
  const [base, ours, theirs, path = ours] = call.args
  if (base === undefined || ours === undefined || theirs === undefined || path === undefined)
    throw new UsageError('name three flows: <base> <ours> <theirs>')
  let flows: unknown[]
  try {
    // Git gives an empty base where both sides added the file.
    flows = await Promise.all([base, ours, theirs].map((file, at) => sideOf(call, file, at === 0)))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    call.note(`x-flow merge: ${error.message}`)
    return DRIVER_FAILED
  }
  const { flow, conflicts } = mergeFlows(flows[0], flows[1], flows[2])
  await writeText(resolve(call.cwd, ours), formatFlow(flow))
  const list = listOf(resolve(call.cwd, path))
  await writeConflicts(list, conflicts)
  for (const conflict of conflicts) call.note(conflictLine(conflict, flows))
  if (call.json) call.print(JSON.stringify({ file: path, conflicts }))
  return conflicts.length === 0 ? 0 : 1
}

async function sideOf(call: Call, file: string, isBase: boolean): Promise<unknown> {
  if (isBase && (await readText(resolve(call.cwd, file)))?.trim() === '')
    return { data: { nodes: [], edges: [] } }
  return (await readFlow(call.cwd, file))?.flow
}

function conflictLine(
  { kind, node, field, ours, theirs }: FlowConflict,
  flows: readonly unknown[],
): string {
  const known = flows.map((flow) => nodesOf(flow).get(node ?? '')).find((one) => one !== undefined)
  const place = node === null ? 'flow' : `${oneLine(displayName(known, node))} (${oneLine(node)})`
  const what = kind === 'edge' ? ` ${field ?? ''} edge` : field === undefined ? '' : ` ${field}`
  return `conflict: ${place}${oneLine(what)}: ours ${oneLine(shownValue(ours))}, theirs ${oneLine(shownValue(theirs))}`
}

const listOf = (path: string): string => `${path}.conflicts.json`

async function writeConflicts(path: string, conflicts: readonly FlowConflict[]): Promise<void> {
  if (conflicts.length === 0) await rm(path, { force: true })
  else await writeText(path, `${JSON.stringify(conflicts, null, 2)}\n`)
}

async function take(call: Call, side: string): Promise<number> {
  if (side !== 'ours' && side !== 'theirs' && side !== 'base')
    throw new UsageError(`option "--take" must be ours, theirs or base, got "${side}"`)
  const [path, ...rest] = call.args
  if (path === undefined || rest.length > 0) throw new UsageError('name one flow file')
  const file = await readFlow(call.cwd, path)
  if (file === undefined) return 2
  const conflicts = await readConflicts(file.absolute, file.path)
  const chosen = conflicts.filter(({ node, field }) => {
    const isNode = call.text('node') === undefined || call.text('node') === node
    return isNode && (call.text('field') === undefined || call.text('field') === field)
  })
  if (chosen.length === 0) throw new FoundError(`${file.path} has no such conflict`)
  let flow: unknown = structuredClone(file.flow)
  for (const conflict of chosen) flow = takeSide(flow, conflict, side)
  const left = conflicts.filter((conflict) => !chosen.includes(conflict))
  await writeText(file.absolute, formatFlow(flow))
  await writeConflicts(listOf(file.absolute), left)
  if (call.json) call.print(JSON.stringify({ file: file.path, conflicts: left }))
  call.summary(`merge: ${chosen.length} decided, ${left.length} left`)
  return 0
}

async function install(call: Call): Promise<number> {
  const [pattern = PATTERN] = call.args
  if (/[\s"']/.test(pattern)) throw new UsageError(`the pattern "${pattern}" has spaces or quotes`)
  const root = (await git(call.cwd, ['rev-parse', '--show-toplevel']))?.trim()
  if (root === undefined) throw new UsageError('not a git repository')
  const line = `${pattern} merge=x-flow diff=x-flow`
  const path = join(root, '.gitattributes')
  const text = (await readText(path)) ?? ''
  if (!text.split(/\r?\n/).includes(line)) {
    const gap = text === '' || text.endsWith('\n') ? '' : '\n'
    await writeText(path, `${text}${gap}${line}\n`)
  }
  const settings = {
    'merge.x-flow.name': 'flows by nodes and fields',
    'merge.x-flow.driver': 'npx --no-install x-flow merge %O %A %B %P',
    'diff.x-flow.textconv': 'npx --no-install x-flow diff --textconv',
  }
  for (const [name, value] of Object.entries(settings))
    if ((await git(root, ['config', '--local', name, value])) === undefined)
      throw new FoundError(`git does not take the setting ${name}`)
  if (call.json) call.print(JSON.stringify({ pattern, installed: true }))
  call.summary(`merge: git merges ${pattern} with x-flow`)
  return 0
}
