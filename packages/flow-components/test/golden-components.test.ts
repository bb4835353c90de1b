import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { goldenFolder, readGoldenFiles } from '../../flow-engine/test/golden/golden-case.ts'
import { runGoldenCase } from '../../flow-engine/test/golden/run-golden-case.ts'

const components = new Map(builtinComponents.map((component) => [component.type, component]))
const files = goldenFolder === undefined ? [] : readGoldenFiles(goldenFolder)
/** Recorded results that are not ours on purpose: `Bugs fixed` of the compatibility page. */
const DEVIATIONS: ReadonlyMap<string, readonly string[]> = new Map([
  // The recorded words tell to switch the Advanced Parser on, which this service does not offer.
  // The recorded words do not say which file was ignored.
  ['File: unsupported extension is skipped, nothing left', ["'a.exe' was left out"]],
  // The recorded words ask to upload again what was never part of an export.
  ['File: missing file', ['It is not part of the export']],
  ['File: no path', ['has no file: choose one']],
  ['File: image needs the advanced mode', ["File 'a.png' cannot be read as text"]],
])

const cases = files.flatMap(({ component: type, cases: recorded }) =>
  recorded.map((each) => [`${type}: ${each.name}`, type, each] as const),
)

// Skipped where the recordings are not beside the checkout.
describe.skipIf(goldenFolder === undefined)('recorded results of single components (FE-45)', () => {
  test('every recorded component is built in', () => {
    const missing = files.map(({ component }) => component).filter((type) => !components.has(type))
    expect(missing).toEqual([])
  })

  test.for(cases)('%s', async ([, type, recorded]) => {
    const component = components.get(type)
    if (component === undefined) return
    const differences = await runGoldenCase(component, recorded, components)
    const expected = DEVIATIONS.get(`${type}: ${recorded.name}`) ?? []
    expect(differences.map((each) => expected.find((part) => each.includes(part)) ?? each)).toEqual(
      expected,
    )
  })
})
