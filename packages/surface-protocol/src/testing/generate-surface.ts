import type { JsonObject } from '../json.ts'
import type { SurfaceState } from '../store/surface.ts'
import { describeSurface } from '../build/builder.ts'
import { bind, each, type UiNode } from '../build/nodes.ts'
import { ui } from '../build/ui.ts'

type Dice = (sides: number) => number

/**
 * A valid surface derived only from the seed, for property tests.
 * @param options.components approximate number of components. Default 20
 */
export function generateSurface(seed: number, options: { components?: number } = {}): SurfaceState {
  const dice = createDice(seed)
  const budget = { left: Math.max(1, options.components ?? 20) }
  return describeSurface(`surface-${seed}`, {
    root: ui.Column({ children: list(dice, budget) }),
    data: generateData(dice),
    styles: dice(2) === 0 ? {} : { primaryColor: '#00aaff' },
  })
}

function createDice(seed: number): Dice {
  let state = (seed ^ 0x9e37_79b9) >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const awkward = ['a', '10', '2', '__proto__', 'a b', 'a/b', 'a~b', 'x.y', 'ü', 'constructor']

function generateData(dice: Dice): JsonObject {
  const rows = Object.fromEntries(
    Array.from({ length: dice(5) }, (_, i) => [
      `${awkward[dice(awkward.length)] ?? ''}${i}`,
      { name: `name ${dice(100)}`, count: dice(1000), open: dice(2) === 0 },
    ]),
  )
  const words = awkward.slice(0, dice(awkward.length)).map((key) => [key, `${key} ${dice(9)}`])
  return {
    rows,
    words: Object.fromEntries(words) as JsonObject,
    level: { a: dice(9), b: { c: dice(9) } },
  }
}

function list(dice: Dice, budget: { left: number }): UiNode[] {
  const nodes: UiNode[] = []
  for (let n = 1 + dice(4); n > 0 && budget.left > 0; n -= 1) nodes.push(generateNode(dice, budget))
  return nodes
}

function generateNode(dice: Dice, budget: { left: number }): UiNode {
  budget.left -= 1
  switch (dice(9)) {
    case 0:
      return ui.Row({ children: list(dice, budget), alignment: 'center' })
    case 1:
      return ui.Card({ child: generateNode(dice, budget) })
    case 2:
      return ui.List({ children: each('/rows', ui.Text({ text: bind('name') })) })
    case 3:
      return ui.Slider({ value: bind('/level/a'), minValue: 0, maxValue: 9 })
    case 4:
      return ui.CheckBox({ label: `box ${dice(9)}`, value: dice(2) === 0 })
    case 5:
      return ui.Button({
        child: ui.Text({ text: 'press' }),
        action: { name: 'press', context: { level: bind('/level/b/c') } },
      })
    case 6:
      return ui.Tabs({ tabItems: [{ title: bind('/words/a'), child: generateNode(dice, budget) }] })
    case 7:
      return ui.Text({ text: `literal ${dice(99)}`, usageHint: 'h2' }).weight(1 + dice(3))
    default:
      return ui.Text({ text: bind('/words/10') })
  }
}
