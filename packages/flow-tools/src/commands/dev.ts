import { type FlowRun, type RunEvent, errorText } from '@x/flow-engine'
import { append } from '@x/wire'
import { dirname, resolve } from 'node:path'
import { needsInput } from '../code/flow-types.ts'
import { UsageError, type Call, type Command } from '../command/command.ts'
import { display } from '../command/flow-files.ts'
import { configPath } from '../command/load-config.ts'
import { loadedFiles } from '../command/load-module.ts'
import { startFlow, type StartOptions } from '../recording/start-flow.ts'
import { isSource, jsonPath, loadFlow } from './build-flow.ts'
import { isDraft, namesOf } from './names-of.ts'
import { openDevPage, type DevPage } from './dev-page.ts'
import { eventMessage, flowMessage } from './page-messages.ts'
import { portOf, startOptions, WHAT_RUNS } from './run-options.ts'
import { watchChanges, type Changes } from './watch-changes.ts'

export const dev: Command = {
  name: 'dev',
  purpose: 'run a flow again after each change of it, of its modules and of its code',
  usage: ['<flow.json|flow.ts> [options]'],
  options: [
    { name: 'input', value: 'TEXT', text: 'the input of each run', fallback: 'lines of stdin' },
    WHAT_RUNS.session,
    WHAT_RUNS.variables,
    WHAT_RUNS.budget,
    WHAT_RUNS.timeout,
    { name: 'port', value: 'N', text: 'the port of the page', fallback: '4321, or a free one' },
    { name: 'no-page', text: 'show no page', fallback: 'off' },
    WHAT_RUNS.allowPrivate,
  ],
  found: 'nothing: failed runs are told, and the next change is awaited',
  example: 'x-flow dev flows/support.flow.ts --input "Where is it?"',
  async run(call) {
    const [path, ...rest] = call.args
    if (path === undefined || rest.length > 0) throw new UsageError('name one flow file')
    await new Development(call, path).run()
    return 130
  },
}

type Reason = 'start' | 'change' | 'input'

/** Runs one flow again and again, one run at a time. */
class Development {
  readonly #call: Call
  readonly #path: string
  readonly #changes: Changes
  #input: string | undefined
  #runs = 0
  #turn: Promise<void> = Promise.resolve()
  /** The last state that could be loaded. */
  #loaded: { readonly flow: unknown; readonly options: StartOptions } | undefined
  #page: DevPage | undefined
  #current: { readonly run: FlowRun; readonly ended: Promise<void> } | undefined

  constructor(call: Call, path: string) {
    this.#call = call
    this.#path = path
    this.#input = call.text('input')
    const file = resolve(call.cwd, path)
    const config = configPath(call.cwd)
    const built = isSource(file) ? jsonPath(file) : undefined
    this.#changes = watchChanges(
      [file, ...(config === undefined ? [] : [config])],
      (changed) => changed === built || (!isSource(file) && isElsewhere(changed, file, config)),
    )
  }

  async run(): Promise<void> {
    const { signal } = this.#call
    await this.#openPage()
    const lines = this.#readLines()
    try {
      await this.#begin('start', this.#path)
      for (;;) {
        const file = await this.#changes.next(signal)
        await this.#begin('change', display(this.#call.cwd, file))
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      this.#changes.close()
      await this.#stop()
      this.#page?.close()
      await lines?.return?.(undefined)
    }
  }

  async #openPage(): Promise<void> {
    if (this.#call.isOn('no-page')) return
    this.#page = await openDevPage({
      port: portOf(this.#call),
      onInput: (input) => {
        this.#input = input
        void this.#start('input', this.#path)
      },
    })
    const { url } = this.#page
    this.#print({ type: 'listening', url }, `dev: ${url}`)
  }

  /** Each line is the input of a new run, unless the input was given. */
  #readLines(): AsyncGenerator<string> | undefined {
    const lines = this.#input === undefined ? this.#call.lines?.() : undefined
    if (lines === undefined) return undefined
    void (async () => {
      for await (const line of lines) {
        this.#input = line
        await this.#start('input', this.#path)
      }
    })().catch((error: unknown) => this.#tell(this.#path, errorText(error)))
    return lines
  }

  /** Loads what is there now and runs it; what cannot be loaded leaves the last state. */
  async #begin(reason: Reason, file: string): Promise<void> {
    try {
      this.#loaded = await this.#load()
    } catch (error) {
      this.#tell(file, errorText(error))
      return
    } finally {
      this.#changes.add(loadedFiles())
    }
    await this.#start(reason, file)
  }

  async #load(): Promise<{ readonly flow: unknown; readonly options: StartOptions }> {
    const flow = await loadFlow(this.#call.cwd, this.#path)
    return { flow, options: { ...(await startOptions(this.#call)), tape: undefined } }
  }

  /** One after the other: a change and a line of input may come together. */
  #start(reason: Reason, file: string): Promise<void> {
    this.#turn = this.#turn.then(() => this.#startNow(reason, file))
    return this.#turn
  }

  async #startNow(reason: Reason, file: string): Promise<void> {
    await this.#stop()
    if (this.#loaded === undefined || this.#call.signal.aborted) return
    const { flow, options } = this.#loaded
    const json = isDraft(flow) ? flow.toJSON() : flow
    if (reason !== 'input') this.#page?.send(flowMessage(json))
    if (this.#input === undefined && needsInput(json)) {
      this.#call.note('dev: the flow waits for its input: type a line')
      this.#page?.send({ type: 'waiting' })
      return
    }
    this.#runs += 1
    const number = this.#runs
    const what = reason === 'change' ? `${file} changed` : reason
    this.#say({ type: 'run', run: number, reason, file }, `run ${number} (${what})`)
    const run = startFlow(flow, { ...options, input: this.#input })
    this.#current = { run, ended: this.#follow(run, number) }
  }

  async #stop(): Promise<void> {
    const current = this.#current
    this.#current = undefined
    current?.run.cancel()
    await current?.ended
  }

  async #follow(run: FlowRun, number: number): Promise<void> {
    try {
      for await (const event of run) this.#event(event, number)
      const result = await run.result
      const { status, durationMs, spent, error } = result
      const text = result.text()
      const tokens = spent.tokens === 0 ? '' : `, ${spent.tokens} tokens`
      const lines = text === undefined || text === '' ? [] : [text]
      if (status === 'failed') append(lines, [error?.detail.replaceAll(/\s*\n\s*/g, ' ') ?? ''])
      lines.push(`run ${number} ${status} in ${durationMs} ms${tokens}`)
      this.#say(
        { type: 'end', run: number, status, text: text ?? null, durationMs, tokens: spent.tokens },
        lines.join('\n'),
      )
    } catch (error) {
      this.#tell(this.#path, errorText(error))
    }
  }

  #event(event: RunEvent, number: number): void {
    this.#page?.send(eventMessage(number, event))
    if (this.#call.json) {
      this.#call.print(JSON.stringify({ type: 'event', run: number, event }))
      return
    }
    if (event.event !== 'end_vertex') return
    const { id, valid, data, params } = event.data.build_data
    const name = namesOf(this.#loaded?.flow).get(id) ?? id
    const failed = `failed: ${(params ?? '').replaceAll(/\s*\n\s*/g, ' ')}`
    this.#call.print(`  ${name}  ${valid ? `${Math.round(data.timedelta * 1000)} ms` : failed}`)
  }

  #tell(file: string, message: string): void {
    const error = { type: 'error', file, message }
    this.#page?.send(error)
    if (this.#call.json) this.#call.print(JSON.stringify(error))
    else this.#call.note(`dev: ${message}`)
  }

  #say(json: Readonly<Record<string, unknown>>, text: string): void {
    this.#page?.send(json)
    this.#print(json, text)
  }

  #print(json: object, text: string): void {
    this.#call.print(this.#call.json ? JSON.stringify(json) : text)
  }
}

/** A flow file depends on itself and the configuration alone. */
function isElsewhere(changed: string, file: string, config: string | undefined): boolean {
  if (changed === file || changed === config) return false
  // Modules of the configuration lie beside it.
  return config === undefined || dirname(changed) !== dirname(config) || changed.endsWith('.json')
}
