import {
  createSurfaceStore,
  isSurfaceError,
  parseMessage,
  validateMessage,
} from '@x/surface-protocol'
import { expect, test } from 'vitest'
import { hostileString, hostileValue, type Dice, type FuzzCase } from '../src/index.ts'
import { findFaults, NO_FAULTS } from './find-faults.ts'

const IDS = ['root', 'a', 'b', 'c', 'list', 'item', 'text', '', '__proto__', 'a:b']
const TYPES = [
  'Text',
  'Column',
  'Row',
  'List',
  'Card',
  'Button',
  'TextField',
  'Tabs',
  'Modal',
  'Nope',
]
const PATHS = ['/', '/a', '/a/b', 'a', '/list/0', '/a~1b', '/~2', '//', '/a/'.repeat(40)]

const id = (dice: Dice): string => (dice.chance(0.05) ? hostileString(dice) : dice.pick(IDS))
const odd = (dice: Dice, value: unknown): unknown =>
  dice.chance(0.05) ? hostileValue(dice) : value

function bound(dice: Dice): unknown {
  return odd(
    dice,
    dice.chance(0.5) ? { path: dice.pick(PATHS) } : { literalString: hostileString(dice) },
  )
}

function children(dice: Dice): unknown {
  const few = dice.chance(0.99) ? 4 : 2_000
  return odd(
    dice,
    dice.chance(0.7)
      ? {
          explicitList: Array.from({ length: dice.integer(few) }, () => id(dice)),
        }
      : { template: { componentId: id(dice), dataBinding: dice.pick(PATHS) } },
  )
}

function component(dice: Dice): unknown {
  const type = dice.pick(TYPES)
  const properties = {
    ...(dice.chance(0.5) ? { children: children(dice) } : {}),
    ...(dice.chance(0.3) ? { child: id(dice) } : {}),
    ...(dice.chance(0.5) ? { text: bound(dice) } : {}),
    ...(dice.chance(0.2) ? { label: bound(dice) } : {}),
    ...(dice.chance(0.2)
      ? { action: { name: 'go', context: [{ key: 'k', value: bound(dice) }] } }
      : {}),
  }
  return odd(dice, {
    id: id(dice),
    component: { [type]: odd(dice, properties) },
  })
}

function entries(dice: Dice, depth = 3): unknown {
  const entry = (): unknown => {
    const key = dice.chance(0.8) ? dice.pick(['a', 'b', 'list', '0', '1']) : hostileString(dice)
    const kind = dice.integer(depth > 0 ? 4 : 3)
    if (kind === 0) return { key, valueString: hostileString(dice) }
    if (kind === 1) return { key, valueNumber: dice.integer(9) }
    if (kind === 2) return { key, valueBoolean: dice.chance(0.5) }
    return { key, valueMap: entries(dice, depth - 1) }
  }
  return odd(dice, dice.many(entry, 6))
}

function message(dice: Dice): unknown {
  const surfaceId = dice.pick(['s', 't'])
  switch (dice.integer(6)) {
    case 0:
      return { beginRendering: { surfaceId, root: id(dice) } }
    case 1:
      return { deleteSurface: { surfaceId } }
    case 2:
      return {
        dataModelUpdate: {
          surfaceId,
          path: dice.pick(PATHS),
          contents: entries(dice),
        },
      }
    case 3:
      return hostileValue(dice)
    default:
      return {
        surfaceUpdate: {
          surfaceId,
          components: dice.many(() => component(dice), 12),
        },
      }
  }
}

function make(dice: Dice): FuzzCase {
  const messages = Array.from({ length: 1 + dice.integer(8) }, () => message(dice))
  return { label: JSON.stringify(messages).slice(0, 160), input: messages }
}

test(
  'SP-20 all messages are applied or refused with diagnostics, and a snapshot loses no data',
  { timeout: 900_000 },
  async () => {
    const faults = await findFaults({
      title: 'Surfaces',
      make,
      run(input) {
        const store = createSurfaceStore()
        for (const one of Array.isArray(input) ? input : [input]) {
          validateMessage(one)
          tolerate(() => parseMessage(JSON.stringify(one) ?? ''))
          store.apply(one)
        }
        for (const surfaceId of store.surfaceIds()) tolerate(() => store.tree(surfaceId))
        const copy = createSurfaceStore()
        copy.applyAll(store.snapshot())
        for (const surfaceId of store.surfaceIds()) {
          const [kept, replayed] = [store.get(surfaceId), copy.get(surfaceId)].map((view) =>
            JSON.stringify(view?.data),
          )
          if (kept !== replayed) throw new Error(`A snapshot lost data: ${kept} became ${replayed}`)
        }
      },
    })

    expect(faults).toEqual(NO_FAULTS)
  },
)

function tolerate(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!isSurfaceError(error)) throw error
  }
}
