// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { defaultLimits, diffSurface, type JsonObject, type SurfaceState } from '@x/surface-protocol'

const MANY = 150_000

const state = (data: JsonObject): SurfaceState => ({
  surfaceId: 's',
  status: 'pending',
  catalogId: null,
  root: null,
  styles: {},
  components: [],
  data,
})
const rows = (row: JsonObject): JsonObject =>
  Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`r${n}`, row]))

test('SP-71: the difference of very many rows has a message for each', () => {
  const before = state({ rows: rows({ value: 1 }) })
  const after = state({ rows: rows({ value: 2 }) })
  expect(diffSurface(before, after)).toHaveLength(MANY)
  expect(diffSurface(before, after, { selfContained: true }).length).toBeGreaterThanOrEqual(MANY)
})

test('SP-69a: very many rows below the depth of one message follow in messages of their own', () => {
  let data = rows({ cell: { value: 1 } })
  for (let depth = 1; depth < defaultLimits.dataDepth; depth += 1) data = { inner: data }
  const messages = diffSurface(null, state(data))
  expect(messages).toHaveLength(1 + MANY)
})
