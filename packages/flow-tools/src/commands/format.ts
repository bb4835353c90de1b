import { formatFlow } from '../code/format-flow.ts'
import type { Command } from '../command/command.ts'
import { UsageError } from '../command/command.ts'
import { findFlows, isFlow, parseJson } from '../command/flow-files.ts'
import { plural } from '../command/plural.ts'
import { writeText } from '../command/write-files.ts'

export const format: Command = {
  name: 'format',
  purpose: 'bring flow files into one form, so that a change is all that a diff shows',
  usage: ['<files> [--check]', '--stdin'],
  options: [
    { name: 'check', text: 'write nothing, print the files that differ', fallback: 'off' },
    { name: 'stdin', text: 'format stdin to stdout', fallback: 'off' },
  ],
  found: 'a file is not in this form (--check)',
  example: 'x-flow format flows',
  async run(call) {
    if (call.isOn('stdin')) {
      const flow = parseJson('stdin', await call.stdin())
      if (!isFlow(flow)) throw new UsageError('stdin is not a flow (it has no data.nodes)')
      call.out(formatFlow(flow))
      return 0
    }
    const files = await findFlows(call)
    const changed: string[] = []
    for (const { path, absolute, text, flow } of files) {
      const formatted = formatFlow(flow)
      if (formatted === text) continue
      changed.push(path)
      if (call.isOn('check')) {
        if (!call.json) call.print(path)
      } else await writeText(absolute, formatted)
    }
    if (call.json) call.print(JSON.stringify({ files: files.map(({ path }) => path), changed }))
    const done = call.isOn('check') ? 'not formatted' : 'written'
    call.summary(`format: ${plural(files.length, 'flow')}, ${changed.length} ${done}`)
    return call.isOn('check') && changed.length > 0 ? 1 : 0
  },
}
