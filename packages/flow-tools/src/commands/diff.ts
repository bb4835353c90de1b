import { diffFlows } from '@x/flow-engine'
import { resolve } from 'node:path'
import { flowDiffMarkdown } from '../code/flow-diff-markdown.ts'
import { flowDiffSvg } from '../code/flow-diff-svg.ts'
import { flowDiffText } from '../code/flow-diff-text.ts'
import { flowText } from '../code/flow-text.ts'
import { flowDifference, isDifferent } from '../code/flow-difference.ts'
import { UsageError, type Call, type Command } from '../command/command.ts'
import { isFlow, parseJson, readFlow } from '../command/flow-files.ts'
import { readText, writeText } from '../command/write-files.ts'
import { git } from './git.ts'

export const diff: Command = {
  name: 'diff',
  purpose: 'show what changed between two flows, as text, Markdown or a picture',
  usage: ['<before> <after> [options]', '--textconv <file>'],
  options: [
    { name: 'markdown', text: 'print Markdown for a comment', fallback: 'text' },
    { name: 'svg', value: 'FILE', text: 'write a picture of both flows', fallback: 'none' },
    { name: 'code', text: 'show changed code of nodes', fallback: 'off' },
    { name: 'exit-code', text: 'end with 1 if there is a difference', fallback: 'off' },
    {
      name: 'textconv',
      value: 'FILE',
      text: 'print a flow as text, for git diff',
      fallback: 'none',
    },
  ],
  found: 'there is a difference (--exit-code)',
  example: 'x-flow diff main:flows/support.json flows/support.json --svg change.svg',
  async run(call) {
    const file = call.text('textconv')
    if (file !== undefined) return textconv(call, file)
    const [first, second, ...rest] = call.args
    if (first === undefined || second === undefined || rest.length > 0)
      throw new UsageError('name two flows: a file, "-", /dev/null or <revision>:<path>')
    const before = await readSide(call, first)
    const after = await readSide(call, second)
    const svg = call.text('svg')
    const code = call.isOn('code')
    if (svg !== undefined) await writeText(resolve(call.cwd, svg), flowDiffSvg(before, after))
    if (call.json) call.print(JSON.stringify(diffFlows(before, after), null, 2))
    else if (call.isOn('markdown')) call.out(flowDiffMarkdown(before, after, { code }))
    else call.out(flowDiffText(before, after, { code }))
    return call.isOn('exit-code') && isDifferent(flowDifference(before, after)) ? 1 : 0
  },
}

const EMPTY = { data: { nodes: [], edges: [] } }

async function readSide(call: Call, name: string): Promise<unknown> {
  if (name === '/dev/null') return EMPTY
  if (name === '-') return flowIn('stdin', await call.stdin())
  const text = await readText(resolve(call.cwd, name))
  if (text === undefined && /^[^-][^:]*:.+/.test(name)) {
    const shown = await git(call.cwd, ['cat-file', 'blob', name])
    if (shown === undefined) throw new UsageError(`${name} is neither a file nor known to git`)
    return flowIn(name, shown)
  }
  return (await readFlow(call.cwd, name))?.flow
}

function flowIn(name: string, text: string): unknown {
  const flow = parseJson(name, text)
  if (isFlow(flow)) return flow
  throw new UsageError(`${name} is not a flow (it has no data.nodes)`)
}

async function textconv(call: Call, name: string): Promise<number> {
  const text = await readText(resolve(call.cwd, name))
  if (text === undefined) throw new UsageError(`${name} does not exist`)
  try {
    call.out(flowText(flowIn(name, text)))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    call.out(text)
  }
  return 0
}
