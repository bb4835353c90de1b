import { basename, dirname, join, resolve } from 'node:path'
import { ejectFlow } from '../code/eject-flow.ts'
import type { Call, Command } from '../command/command.ts'
import { display, findFlows, type FlowFile } from '../command/flow-files.ts'
import { plural } from '../command/plural.ts'
import { readText, writeText } from '../command/write-files.ts'
import { formatWithPrettier } from './format-with-prettier.ts'

export const eject: Command = {
  name: 'eject',
  purpose: 'write a flow as TypeScript, with what only the editor shows apart',
  usage: ['<files> [--out DIR] [--force]'],
  options: [
    { name: 'out', value: 'DIR', text: 'the folder to write to', fallback: 'beside the flow' },
    { name: 'force', text: 'replace files that differ', fallback: 'off' },
  ],
  found: 'a file exists and differs; nothing was written',
  example: 'x-flow eject flows/support.json',
  takesFlows: true,
  async run(call) {
    const flows = await findFlows(call)
    const ejected: Ejected[] = []
    for (const file of flows) ejected.push(await filesOf(call, file))
    const differing = call.isOn('force') ? [] : await changedFiles(ejected)
    for (const path of differing)
      call.note(`${display(call.cwd, path)} exists and differs. Use --force to replace it`)
    if (differing.length > 0) return 1
    let unchanged = 0
    const written: string[][] = []
    for (const { folder, files, notes, file } of ejected) {
      for (const note of notes) call.note(`note: ${file}: ${note}`)
      const done: string[] = []
      for (const [path, text] of files) {
        if (await writeText(path, text, folder)) done.push(display(call.cwd, path))
        else unchanged += 1
      }
      written.push(done)
    }
    if (call.json)
      call.print(
        JSON.stringify({
          flows: ejected.map(({ file, notes }, at) => ({ file, written: written[at], notes })),
        }),
      )
    const count = written.flat().length
    call.summary(
      `eject: ${plural(flows.length, 'flow')}, ${plural(count, 'file')} written, ${unchanged} unchanged`,
    )
    return 0
  },
}

interface Ejected {
  readonly file: string
  readonly folder: string
  readonly files: ReadonlyMap<string, string>
  readonly notes: readonly string[]
}

async function filesOf(call: Call, { path, absolute, flow }: FlowFile): Promise<Ejected> {
  const out = call.text('out')
  const folder = out === undefined ? dirname(absolute) : resolve(call.cwd, out)
  const base = join(folder, basename(path).replace(/\.json$/, ''))
  const { source, layoutText, files, notes } = ejectFlow(flow, { file: basename(path) })
  const target = `${base}.flow.ts`
  return {
    file: path,
    folder: out === undefined ? folder : call.cwd,
    notes,
    files: new Map([
      [target, await formatWithPrettier(source, target)],
      [`${base}.flow.layout.json`, layoutText],
      ...[...files].map(([name, text]) => [join(folder, name), text] as const),
    ]),
  }
}

async function changedFiles(ejected: readonly Ejected[]): Promise<string[]> {
  const changed: string[] = []
  for (const { files } of ejected)
    for (const [path, text] of files) {
      const before = await readText(path)
      if (before !== undefined && before !== text) changed.push(path)
    }
  return changed
}
