/** The lines of the benchmark: made up once, the same in every run. */

const word = (n: number): string => `word ${(n * 7919) % 1009} and ${(n * 104_729) % 997}`

function component(n: number): object {
  switch (n % 5) {
    case 0:
      return { Text: { text: { path: `/rows/r${n}/label` }, usageHint: 'body' } }
    case 1:
      return { Image: { url: { literalString: `https://host.example/${n}.png` }, fit: 'cover' } }
    case 2:
      return { Text: { text: { literalString: word(n) } } }
    case 3:
      return { Card: { child: `c${n - 1}` } }
    default:
      return { CheckBox: { label: { literalString: word(n) }, value: { path: `/flags/f${n}` } } }
  }
}

/** Updates of components and data on 100 rendered surfaces, about 130 bytes each. */
export function mixedLines(count: number, surfaces = 100): string[] {
  const lines: string[] = []
  for (let n = 0; n < count; n += 1) {
    const surfaceId = `surface-${n % surfaces}`
    const turn = Math.floor(n / surfaces)
    lines.push(JSON.stringify(mixedMessage(surfaceId, turn)))
  }
  return lines
}

function mixedMessage(surfaceId: string, turn: number): object {
  if (turn === 0) {
    const children = { explicitList: Array.from({ length: 40 }, (_, i) => `c${i * 5}`) }
    return {
      surfaceUpdate: {
        surfaceId,
        components: [{ id: 'root', component: { Column: { children } } }],
      },
    }
  }
  if (turn === 1) return { beginRendering: { surfaceId, root: 'root' } }
  if (turn % 2 === 0) {
    const id = `c${(turn / 2) % 200}`
    return {
      surfaceUpdate: { surfaceId, components: [{ id, component: component((turn / 2) % 200) }] },
    }
  }
  const contents = [
    { key: 'label', valueString: word(turn) },
    { key: 'count', valueNumber: turn },
  ]
  return { dataModelUpdate: { surfaceId, path: `/rows/r${turn % 200}`, contents } }
}

/** One update with many components under one column, then beginRendering. */
export function bigUpdate(components: number): string[] {
  const ids = Array.from({ length: components - 1 }, (_, n) => `c${n}`)
  const root = { id: 'root', component: { Column: { children: { explicitList: ids } } } }
  const rest = ids.map((id, n) => ({ id, component: flat(n) }))
  return [
    JSON.stringify({ surfaceUpdate: { surfaceId: 's', components: [root, ...rest] } }),
    JSON.stringify({ beginRendering: { surfaceId: 's', root: 'root' } }),
  ]
}

/** The same, one component a line. */
export function singleUpdates(components: number): string[] {
  const ids = Array.from({ length: components - 1 }, (_, n) => `c${n}`)
  const root = { id: 'root', component: { Column: { children: { explicitList: ids } } } }
  const rest = ids.map((id, n) => ({ id, component: flat(n) }))
  const lines = [root, ...rest].map((one) =>
    JSON.stringify({ surfaceUpdate: { surfaceId: 's', components: [one] } }),
  )
  return [...lines, JSON.stringify({ beginRendering: { surfaceId: 's', root: 'root' } })]
}

function flat(n: number): object {
  return n % 5 === 3 ? component(n + 1) : component(n)
}

/** Updates of data on a surface that is not rendered. */
export function dataUpdates(count: number): string[] {
  return Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      dataModelUpdate: {
        surfaceId: 's',
        path: `/rows/r${n % 500}`,
        contents: [
          { key: 'label', valueString: word(n) },
          { key: 'count', valueNumber: n },
          { key: 'open', valueBoolean: n % 2 === 0 },
        ],
      },
    }),
  )
}

/** Updates of single values that one component of a thousand shows. */
export function boundUpdates(count: number): string[] {
  return Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      dataModelUpdate: {
        surfaceId: 's',
        path: `/rows/r${(n % 200) * 5}`,
        contents: [{ key: 'label', valueString: word(n) }],
      },
    }),
  )
}
