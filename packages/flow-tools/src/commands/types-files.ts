import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { flowTypes, type FlowTypes } from '../code/flow-types.ts'
import type { Call } from '../command/command.ts'
import { display, type FlowFile } from '../command/flow-files.ts'
import { readText } from '../command/write-files.ts'

export type Module = 'esm' | 'commonjs'

export async function typesOf(file: FlowFile, module: Module | undefined): Promise<FlowTypes> {
  const kind = module ?? (await moduleOf(dirname(file.absolute)))
  return flowTypes(file.flow, { file: basename(file.path), module: kind })
}

export function targetsOf(file: FlowFile, { js, dts }: FlowTypes): [string, string][] {
  return [
    [`${file.absolute}.js`, js],
    [`${file.absolute}.d.ts`, dts],
  ]
}

/** The files of a flow's types that are not what they should be, told on stderr. */
export async function staleTypes(
  call: Pick<Call, 'cwd' | 'note'>,
  file: FlowFile,
  module?: Module,
): Promise<string[]> {
  const stale: string[] = []
  for (const [path, text] of targetsOf(file, await typesOf(file, module))) {
    if ((await readText(path)) === text) continue
    const shown = display(call.cwd, path)
    stale.push(shown)
    call.note(`${shown} is not up to date. Run: x-flow types ${file.path}`)
  }
  return stale
}

/** Whether this command wrote a file. */
export async function isOurs(path: string): Promise<boolean> {
  return (await readText(path))?.startsWith('// Written by x-flow types from ') === true
}

/** Removes the types of a flow that is gone. */
export async function removeTypes(flow: string): Promise<void> {
  for (const path of [`${flow}.js`, `${flow}.d.ts`])
    if (await isOurs(path)) await rm(path, { force: true })
}

/** The kind of modules that the nearest package.json says; `commonjs` where it says none. */
async function moduleOf(folder: string): Promise<Module> {
  for (let at = folder; ; at = dirname(at)) {
    const text = await readText(join(at, 'package.json'))
    if (text !== undefined) return typeIn(text)
    if (dirname(at) === at) return 'esm'
  }
}

function typeIn(text: string): Module {
  try {
    const { type } = JSON.parse(text) as { type?: unknown }
    return type === 'module' ? 'esm' : 'commonjs'
  } catch {
    return 'commonjs'
  }
}
