import { expect, test } from 'vitest'
import { run } from './dependencies.ts'
import { drawn, isRouter, routing } from './routing-kit.ts'

interface Drawing {
  /** In an order in which each edge leads to a later one. */
  readonly names: readonly string[]
  readonly edges: readonly (readonly [from: string, output: string, to: string])[]
  readonly takes: Readonly<Record<string, string>>
}

/** Numbers from 0 to 1 (mulberry32), the same for each seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** One to four routers in series, nested or side by side, with joins and side edges. */
function randomDrawing(seed: number): Drawing {
  const random = randomOf(seed)
  const count = 5 + Math.floor(random() * 10)
  const routers = 1 + Math.floor(random() * 4)
  const isRouterAt = (at: number): boolean => at > 0 && at <= count / 2 && random() < routers / 5
  const names = Array.from({ length: count }, (_, at) =>
    at === 1 || isRouterAt(at) ? `R${at}` : `N${at}`,
  )
  const edges = names.slice(1).flatMap((to, at) => {
    const some = 1 + Math.floor(random() * 2.6)
    return Array.from({ length: random() < 0.1 ? 0 : some }, () => {
      const from = names[Math.floor(random() * (at + 1))] ?? ''
      const output = isRouter(from) ? (random() < 0.5 ? 't' : 'f') : 'out'
      return [from, output, to] as const
    })
  })
  const takes = Object.fromEntries(names.map((name) => [name, random() < 0.5 ? 't' : 'f']))
  const once = new Map(edges.map((edge) => [edge.join(), edge]))
  return { names, edges: [...once.values()], takes }
}

/** FF-1 to FF-5 as they are written, without any regard to cost. */
function oracle({ names, edges, takes }: Drawing): Map<string, string> {
  const behind = (router: string, isTaken: boolean): Set<string> => {
    const isOne = (output: string): boolean => (output === takes[router]) === isTaken
    const first = edges.filter(([from, output]) => from === router && isOne(output))
    const found = new Set(first.map(([, , to]) => to))
    for (const name of found) for (const [from, , to] of edges) if (from === name) found.add(to)
    found.delete(router)
    return found
  }
  const cut = new Set<string>()
  const said = new Map<string, string>()
  for (const name of names) {
    const incoming = edges.filter(([, , to]) => to === name)
    const live = incoming.filter(
      ([from, output]) => said.has(from) && (!isRouter(from) || output === takes[from]),
    )
    if (cut.has(name) || (incoming.length > 0 && live.length === 0)) continue
    const texts = live.map(([from, output]) => {
      const text = said.get(from) ?? ''
      return isRouter(from) ? text.replace(from, from + output) : text
    })
    said.set(name, name + (texts.length === 0 ? '' : `(${texts.join(' ')})`))
    if (!isRouter(name)) continue
    const lives = behind(name, true)
    for (const one of behind(name, false)) if (!lives.has(one)) cut.add(one)
  }
  return said
}

test.each([1, 2, 3, 4])(
  'FF-1 to FF-5: 100 random flows run what the rules say (seed %i)',
  async (seed) => {
    for (let at = 0; at < 100; at += 1) {
      const drawing = randomDrawing(seed * 1000 + at)
      if (drawing.edges.length === 0) continue
      const text = drawing.edges.map(([from, output, to]) =>
        isRouter(from) ? `${from}.${output}>${to}` : `${from}>${to}`,
      )
      const right = oracle(drawing)
      const flow = drawn(text.join(' '), drawing.takes, at % 2 === 0 ? 'stop' : 'exclude')
      const drawnNames = new Set(drawing.edges.flatMap(([from, , to]) => [from, to]))
      const mode = at % 3 === 0 ? ('build' as const) : ('run' as const)
      const { result } = await run(flow.toJSON(), { more: routing, mode })
      const got = [...result.vertices].map(([id, { outputs }]) => {
        const first = outputs[isRouter(id) ? (drawing.takes[id] ?? '') : 'out']
        const said = (first as { text?: string } | undefined)?.text
        return [id, said] as const
      })
      const expected = [...right].filter(([name]) => drawnNames.has(name))
      const plain = (entries: readonly (readonly [string, unknown])[]) =>
        Object.fromEntries(entries.filter(([id]) => !isRouter(id)))
      expect({ text, ran: plain(got) }).toEqual({ text, ran: plain(expected) })
      const routersOf = (entries: readonly (readonly [string, unknown])[]) =>
        entries
          .map(([id]) => id)
          .filter(isRouter)
          .toSorted()
      expect({ text, ran: routersOf(got) }).toEqual({ text, ran: routersOf(expected) })
    }
  },
)
