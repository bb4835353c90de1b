import { basename, join, resolve } from 'node:path'
import type { Command } from '../command/command.ts'
import { UsageError } from '../command/command.ts'
import { display, findPaths } from '../command/flow-files.ts'
import { plural } from '../command/plural.ts'
import { readText, writeText } from '../command/write-files.ts'
import { buildFlow, isSource, jsonPath } from './build-flow.ts'

export const build: Command = {
  name: 'build',
  purpose: 'write the flow files that sources of eject, or of your own, build',
  usage: ['<sources> [--out FILE|DIR]', '<sources> --check'],
  options: [
    { name: 'out', value: 'PATH', text: 'a file for one flow, else a folder', fallback: 'beside' },
    { name: 'check', text: 'write nothing, compare', fallback: 'off' },
  ],
  found: 'a source fails, or a file is not what its source builds (--check)',
  example: 'x-flow build flows',
  async run(call) {
    const { paths, named } = await findPaths(call, { suffix: '.flow.ts', what: 'flow source' })
    const sources = paths.filter((path) => isSource(path) || named.has(path))
    const other = sources.find((path) => !isSource(path))
    if (other !== undefined) throw new UsageError(`${other} is no flow source (*.flow.ts)`)
    if (sources.length === 0) throw new UsageError(`no flow source in ${call.args.join(' ')}`)
    const out = call.text('out')
    const isFile = out?.endsWith('.json') === true
    if (isFile && sources.length > 1) throw new UsageError('--out names a file for several flows')
    const built: { readonly file: string; readonly out: string; readonly text: string }[] = []
    for (const file of sources) {
      const text = await buildFlow(call.cwd, file)
      const target =
        out === undefined || isFile ? (out ?? jsonPath(file)) : join(out, basename(jsonPath(file)))
      built.push({ file, out: display(call.cwd, target), text })
    }
    const changed: string[] = []
    for (const { file, out: target, text } of built) {
      const path = resolve(call.cwd, target)
      if (call.isOn('check')) {
        if ((await readText(path)) === text) continue
        call.note(`${target} is not what ${file} builds`)
        changed.push(target)
      } else if (await writeText(path, text, call.cwd)) changed.push(target)
    }
    if (call.json)
      call.print(
        JSON.stringify({
          flows: built.map(({ file, out: target }) => ({
            file,
            out: target,
            changed: changed.includes(target),
          })),
        }),
      )
    const done = call.isOn('check') ? 'not up to date' : 'written'
    call.summary(`build: ${plural(built.length, 'flow')}, ${changed.length} ${done}`)
    return call.isOn('check') && changed.length > 0 ? 1 : 0
  },
}
