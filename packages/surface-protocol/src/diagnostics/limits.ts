import { defined } from '../json.ts'

/** Limits on the work a peer can cause. The size of data and components: keys, strings, and 8 for each value. */
export type SurfaceLimits = Record<
  | 'lineBytes'
  | 'jsonDepth'
  | 'componentsPerMessage'
  | 'componentsPerSurface'
  | 'references'
  | 'surfaceReferences'
  | 'treeNodes'
  | 'treeDepth'
  | 'dataDepth'
  | 'dataEntries'
  | 'dataSize'
  | 'pathLength'
  | 'pathSegments'
  | 'surfaces'
  | 'bufferedSize'
  | 'totalSize'
  | 'idLength'
  | 'catalogBytes'
  | 'watchers'
  | 'waitingCalls'
  | 'callDepth'
  | 'evaluationSteps'
  | 'textLength'
  | 'arrayIndex'
  | 'checksPerComponent'
  | 'regexLength'
  | 'maxPending',
  number
>

/** The default limits. */
export const defaultLimits: Readonly<SurfaceLimits> = Object.freeze({
  lineBytes: 1_048_576,
  jsonDepth: 128,
  componentsPerMessage: 10_000,
  componentsPerSurface: 50_000,
  references: 100_000,
  surfaceReferences: 500_000,
  treeNodes: 100_000,
  treeDepth: 256,
  dataDepth: 32,
  dataEntries: 200_000,
  dataSize: 16_777_216,
  pathLength: 1024,
  pathSegments: 64,
  surfaces: 1000,
  bufferedSize: 67_108_864,
  totalSize: 268_435_456,
  idLength: 512,
  catalogBytes: 262_144,
  watchers: 10_000,
  waitingCalls: 10_000,
  callDepth: 32,
  evaluationSteps: 10_000,
  textLength: 1_048_576,
  arrayIndex: 9_999,
  checksPerComponent: 100,
  regexLength: 512,
  maxPending: 1000,
})

/**
 * The defaults overridden by the given values.
 * @throws TypeError for an unknown name or a value that is not a positive integer
 */
export function resolveLimits(limits: Partial<SurfaceLimits> | undefined): Readonly<SurfaceLimits> {
  if (limits === undefined) return defaultLimits
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, name)) throw new TypeError(`Unknown limit "${name}"`)
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new TypeError(`The limit "${name}" must be a positive integer`)
    }
  }
  return { ...defaultLimits, ...defined(limits) }
}
