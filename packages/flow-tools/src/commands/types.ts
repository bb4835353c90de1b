import { append } from '@x/wire'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FlowTypes } from '../code/flow-types.ts'
import { UsageError, type Call, type Command } from '../command/command.ts'
import { display, findFlows, type FlowFile } from '../command/flow-files.ts'
import { plural } from '../command/plural.ts'
import { writeText } from '../command/write-files.ts'
import { isOurs, staleTypes, targetsOf, typesOf, type Module } from './types-files.ts'
import { watchFlows } from './watch-flows.ts'

export const types: Command = {
  name: 'types',
  purpose: 'write types beside flow files, so that the compiler checks who runs them',
  usage: ['<files> [--check | --watch]'],
  options: [
    { name: 'check', text: 'write nothing, name stale files', fallback: 'off' },
    { name: 'watch', text: 'write again after each change', fallback: 'off' },
    {
      name: 'module',
      value: 'KIND',
      text: 'esm or commonjs',
      fallback: 'as the nearest package.json',
    },
  ],
  found: 'a file is not up to date (--check)',
  example: 'x-flow types "flows/**/*.json"',
  takesFlows: true,
  async run(call) {
    const module = call.text('module')
    if (module !== undefined && module !== 'esm' && module !== 'commonjs')
      throw new UsageError(`option "--module" must be esm or commonjs, got "${module}"`)
    if (call.isOn('watch')) return watchFlows(call, (file) => writeTypes(call, file, module))
    const files = await findFlows(call)
    return call.isOn('check') ? checkTypes(call, files, module) : writeAll(call, files, module)
  },
}

async function writeAll(
  call: Call,
  files: readonly FlowFile[],
  module: Module | undefined,
): Promise<number> {
  const made = []
  for (const file of files) made.push(await writeTypes(call, file, module))
  const written = made.reduce((sum, one) => sum + one.written.length, 0)
  if (call.json)
    call.print(
      JSON.stringify({
        flows: made.map(({ file, written: changed, types: { inputs, variables, session } }) => ({
          file,
          written: changed,
          inputs,
          variables,
          session,
        })),
      }),
    )
  call.summary(
    `types: ${plural(files.length, 'flow')}, ${plural(written, 'file')} written, ${
      2 * files.length - written
    } unchanged`,
  )
  return 0
}

interface Written {
  readonly file: string
  readonly written: readonly string[]
  readonly types: FlowTypes
}

async function writeTypes(
  { cwd }: Call,
  file: FlowFile,
  module: Module | undefined,
): Promise<Written> {
  const made = await typesOf(file, module)
  const written: string[] = []
  for (const [path, text] of targetsOf(file, made))
    if (await writeText(path, text)) written.push(display(cwd, path))
  return { file: file.path, written, types: made }
}

async function checkTypes(
  call: Call,
  files: readonly FlowFile[],
  module: Module | undefined,
): Promise<number> {
  const stale: string[] = []
  for (const file of files) append(stale, await staleTypes(call, file, module))
  append(stale, await orphans(call, files))
  if (call.json) call.print(JSON.stringify({ stale }))
  return stale.length === 0 ? 0 : 1
}

/** Our files beside the flows whose flow is gone. */
async function orphans(call: Call, files: readonly FlowFile[]): Promise<string[]> {
  const folders = new Set(files.map(({ absolute }) => dirname(absolute)))
  const gone: string[] = []
  for (const folder of folders) {
    const names = new Set(await readdir(folder))
    for (const name of names) {
      const flow = /^(.+\.json)\.(?:js|d\.ts)$/.exec(name)?.[1]
      if (flow === undefined || names.has(flow)) continue
      const path = join(folder, name)
      if (!(await isOurs(path))) continue
      const shown = display(call.cwd, path)
      gone.push(shown)
      call.note(`${shown} belongs to no flow. Remove it`)
    }
  }
  return gone
}
