import { basicCatalogV09 } from '@x/surface-protocol'

/** The lines of the benchmark in version 0.9.1: made up once, the same in every run. */

const word = (n: number): string => `word ${(n * 7919) % 1009} and ${(n * 104_729) % 997}`
const line = (message: object): string => JSON.stringify({ version: 'v0.9.1', ...message })

function component(n: number): object {
  const id = `c${n}`
  switch (n % 5) {
    case 0:
      return { id, component: 'Text', text: { path: `/rows/r${n}/label` }, variant: 'body' }
    case 1:
      return { id, component: 'Image', url: `https://host.example/${n}.png`, fit: 'cover' }
    case 2:
      return { id, component: 'Text', text: word(n) }
    case 3:
      return { id, component: 'Card', child: `c${n - 1}` }
    default:
      return { id, component: 'CheckBox', label: word(n), value: { path: `/flags/f${n}` } }
  }
}

const create = (surfaceId: string): string =>
  line({ createSurface: { surfaceId, catalogId: basicCatalogV09.catalogId } })

/** Updates of components and data on 100 rendered surfaces. */
export function mixedLinesV09(count: number, surfaces = 100): string[] {
  const lines: string[] = []
  for (let n = 0; n < count; n += 1) {
    lines.push(mixedLine(`surface-${n % surfaces}`, Math.floor(n / surfaces)))
  }
  return lines
}

function mixedLine(surfaceId: string, turn: number): string {
  if (turn === 0) return create(surfaceId)
  if (turn === 1) {
    const children = Array.from({ length: 40 }, (_, i) => `c${i * 5}`)
    const root = { id: 'root', component: 'Column', children }
    return line({ updateComponents: { surfaceId, components: [root] } })
  }
  if (turn % 2 === 0) {
    const components = [component((turn / 2) % 200)]
    return line({ updateComponents: { surfaceId, components } })
  }
  const value = { label: word(turn), count: turn }
  return line({ updateDataModel: { surfaceId, path: `/rows/r${turn % 200}`, value } })
}

/** One update with many components under one column. */
export function bigUpdateV09(components: number): string[] {
  const rest = Array.from({ length: components - 1 }, (_, n) => component(n % 5 === 3 ? n + 1 : n))
  const unique = rest.map((one, n) => ({ ...one, id: `c${n}` }))
  const root = { id: 'root', component: 'Column', children: unique.map(({ id }) => id) }
  const update = { surfaceId: 's', components: [root, ...unique] }
  return [create('s'), line({ updateComponents: update })]
}

/** Updates of single values that one component of a thousand shows. */
export function boundUpdatesV09(count: number): string[] {
  return Array.from({ length: count }, (_, n) =>
    line({
      updateDataModel: {
        surfaceId: 's',
        path: `/rows/r${(n % 200) * 5}/label`,
        value: word(n),
      },
    }),
  )
}
