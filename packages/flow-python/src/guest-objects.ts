import { isObject } from '@x/wire'
import type { Embedder, Tool } from '@x/flow-engine'
import { outputForModel } from '@x/flow-engine/internal'
import { GuestCall } from './interpreter.ts'
import { decodePythonValue, OutgoingValues } from './values.ts'

/** A call of an object in the interpreter. */
export interface ObjectCall {
  readonly number: number
  readonly method: 'tool' | 'embed' | 'embed_query'
  /** Encoded arguments. */
  readonly args: unknown
}

/** Runs a call in the interpreter that has the objects, when its code does not wait for the host. */
export type ResumeInterpreter = (call: ObjectCall, signal: AbortSignal) => Promise<unknown>

interface OpenCall {
  readonly call: ObjectCall
  readonly signal: AbortSignal
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Settled = { readonly value: unknown } | { readonly error: unknown }

/**
 * Tools and embedders of an author's code that other components use. A call runs in the
 * interpreter that made the object: while its code waits for the host, as part of the answer; else afterwards.
 */
export class GuestObjects {
  /** The numbers, among the lent objects, of those that the code has passed to the host. */
  readonly #numbers: number[] = []
  /** The questions that the code waits for; each may have called the code again. */
  readonly #questions: Promise<Settled>[] = []
  readonly #waiting: OpenCall[] = []
  readonly #called: OpenCall[] = []
  readonly #resume: ResumeInterpreter
  readonly #vertexId: string
  #wake: () => void = () => undefined
  /** Calls between questions take turns. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(vertexId: string, resume: ResumeInterpreter) {
    this.#vertexId = vertexId
    this.#resume = resume
  }

  /** Adds the host's side of an object; returns its number among the lent objects. */
  keep({ kind, number, ...facts }: Record<string, unknown>, lent: unknown[]): number {
    const at = Number(number)
    const made = kind === 'tool' ? this.#tool(at, facts, lent) : this.#embedder(at, lent)
    return (this.#numbers[at] = lent.push(made) - 1)
  }

  get count(): number {
    return this.#numbers.length
  }

  numberOf(at: unknown): number | undefined {
    return this.#numbers[Number(at)]
  }

  /** Answers a question of the code, or has it call one of its objects first. */
  async answer(question: Record<string, unknown>, work: () => Promise<unknown>): Promise<unknown> {
    if (question['op'] === 'return') this.#finishCall(question)
    else this.#questions.push(settled(work()))
    return this.#next()
  }

  async #next(): Promise<unknown> {
    for (;;) {
      const open = this.#waiting.shift()
      if (open !== undefined) {
        this.#called.push(open)
        return new GuestCall(open.call)
      }
      const woken = new Promise<undefined>((resolve) => {
        this.#wake = () => resolve(undefined)
      })
      const done = await Promise.race([this.#questions.at(-1), woken])
      if (done === undefined) continue
      void this.#questions.pop()
      if (this.#questions.length === 0) for (const one of this.#waiting.splice(0)) this.#later(one)
      if ('error' in done) throw done.error
      return done.value
    }
  }

  #finishCall({ value, error }: Record<string, unknown>): void {
    const open = this.#called.pop()
    if (typeof error === 'string') open?.reject(new Error(error))
    else open?.resolve(value)
  }

  #call(call: ObjectCall, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const open = { call, signal, resolve, reject }
      if (this.#questions.length === 0) return this.#later(open)
      this.#waiting.push(open)
      this.#wake()
    })
  }

  #later({ call, signal, resolve, reject }: OpenCall): void {
    this.#last = this.#last.then(() => this.#resume(call, signal)).then(resolve, reject)
  }

  #tool(number: number, facts: Record<string, unknown>, lent: readonly unknown[]): Tool {
    const { name, description, parameters, return_direct: returnDirect } = facts
    return {
      name: String(name).replaceAll(/[^A-Za-z0-9_-]/g, '-'),
      description: typeof description === 'string' ? description : '',
      parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
      tags: [String(name)],
      vertexId: this.#vertexId,
      ...(returnDirect === true ? { returnDirect } : {}),
      call: async (args, { signal }) => {
        const encoded = await new OutgoingValues().encode([args])
        const result = await this.#call({ number, method: 'tool', args: encoded }, signal)
        return outputForModel(decodePythonValue(result, lent))
      },
    }
  }

  #embedder(number: number, lent: readonly unknown[]): Embedder {
    const ask = async (method: 'embed' | 'embed_query', arg: unknown, signal?: AbortSignal) => {
      const open = signal ?? new AbortController().signal
      return decodePythonValue(await this.#call({ number, method, args: [arg] }, open), lent)
    }
    return {
      embed: async (texts, signal) => vectorsOf(await ask('embed', [...texts], signal)),
      embedQuery: async (text, signal) =>
        vectorsOf([await ask('embed_query', text, signal)])[0] ?? [],
    }
  }
}

function settled(work: Promise<unknown>): Promise<Settled> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}

/** @throws TypeError if the code returned something else than vectors */
function vectorsOf(given: unknown): number[][] {
  const isVector = (one: unknown): one is number[] =>
    Array.isArray(one) && one.every((number) => typeof number === 'number')
  if (!Array.isArray(given) || !given.every(isVector)) {
    throw new TypeError('The embeddings of the component are not lists of numbers')
  }
  return given
}
