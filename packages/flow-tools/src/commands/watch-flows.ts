import { createSystemRuntime } from '@x/wire'
import { existsSync, statSync, watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError, type Call } from '../command/command.ts'
import { findFlows, readFlow, type FlowFile } from '../command/flow-files.ts'
import { globRoot, isGlob } from '../command/glob.ts'
import { removeTypes } from './types-files.ts'

const runtime = createSystemRuntime()
/** Several changes of one moment are taken together. */
const SETTLE_MS = 100

/** Writes at the start and after each change, one line for each flow, until an interrupt. */
export async function watchFlows(
  call: Call,
  write: (file: FlowFile) => Promise<{ readonly written: readonly string[] }>,
): Promise<number> {
  const known = new Map<string, { readonly absolute: string; readonly text: string }>()
  const update = async (): Promise<void> => {
    for (const [path, { absolute }] of known)
      if (!existsSync(absolute)) {
        known.delete(path)
        await removeTypes(absolute)
        say(call, { file: path, removed: true }, `${path} removed`)
      }
    for (const file of await currentFlows(call)) {
      if (known.get(file.path)?.text === file.text) continue
      const { written } = await write(file)
      known.set(file.path, file)
      const what = written.length === 0 ? 'unchanged' : `written: ${written.join(', ')}`
      say(call, { file: file.path, written }, `${file.path} ${what}`)
    }
  }
  if (call.args.length === 0) await findFlows(call)
  await update()
  for await (const _ of changes(call)) await update()
  return 130
}

/** The flows that can be read now; what is half written waits for its next change. */
async function currentFlows(call: Call): Promise<FlowFile[]> {
  const found: FlowFile[] = []
  for (const arg of call.args) {
    try {
      const path = resolve(call.cwd, arg)
      const isFile = existsSync(path) && statSync(path).isFile()
      const files = isFile
        ? [await readFlow(call.cwd, arg)]
        : await findFlows({ ...call, args: [arg] })
      for (const file of files) if (file !== undefined) found.push(file)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
    }
  }
  return found
}

/** One item after each moment with changes below what the arguments name; ends at an interrupt. */
async function* changes(call: Call): AsyncGenerator<void> {
  let wake: (() => void) | undefined
  let isDirty = false
  const changed = (): void => {
    isDirty = true
    wake?.()
  }
  const watchers = call.args.map((arg) => {
    const path = resolve(call.cwd, isGlob(arg) ? globRoot(arg) : arg)
    const folder = existsSync(path) && statSync(path).isDirectory() ? path : dirname(path)
    return watch(folder, { recursive: folder === path }, changed)
  })
  call.signal.addEventListener('abort', changed, { once: true })
  try {
    while (!call.signal.aborted) {
      if (!isDirty)
        await new Promise<void>((resolveWait) => {
          wake = resolveWait
        })
      if (call.signal.aborted) return
      await runtime.sleep(SETTLE_MS, call.signal).catch(() => undefined)
      isDirty = false
      if (!call.signal.aborted) yield
    }
  } finally {
    for (const watcher of watchers) watcher.close()
    call.signal.removeEventListener('abort', changed)
  }
}

function say(call: Call, json: object, line: string): void {
  call.print(call.json ? JSON.stringify(json) : line)
}
