import { z } from 'zod'
import { blobKeyOf } from './file-address.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import type { FileChange } from './user-file-writer.ts'

const MB = 1024 * 1024
/** Storage shared by the visitors of one flow. */
const MAX_PER_FLOW = { bytes: 100 * MB, files: 1000 }
const LEDGERS = 'visitor-ledgers'

/** Files written by visitors of public flows, limited per flow and kept for `publicFlowExpiration`. */
export interface VisitorFiles {
  /**
   * Writes or changes a file of the flow's visitors.
   * @param name `<derived flow id>/<name>`
   * @throws Error if the flow's visitors would exceed 100 MiB or 1,000 files
   */
  change(flowId: string, name: string, change: FileChange): Promise<void>
  /** Removes files older than `publicFlowExpiration`; writes do this for their own flow too. */
  sweep(): Promise<void>
}

/** Size and write time (ms since 1970) of each file. */
type Ledger = Map<string, readonly [size: number, at: number]>

export function createVisitorFiles({
  files,
  runtime,
  settings,
}: Pick<ServiceDependencies, 'files' | 'runtime' | 'settings'>): VisitorFiles {
  const oldest = (): number => runtime.now().getTime() - settings.publicFlowExpiration * 1000
  const keyOf = (flowId: string, name: string): string =>
    blobKeyOf('visitors', { id: flowId, name })
  /** Removes expired files and returns the ledger without them. */
  const swept = async (flowId: string, bytes: Uint8Array | null): Promise<Ledger> => {
    const ledger = readLedger(bytes)
    for (const [name, [, at]] of ledger) {
      if (at >= oldest()) continue
      await files.remove(keyOf(flowId, name))
      ledger.delete(name)
    }
    return ledger
  }

  return {
    async change(flowId, name, change) {
      await files.update(usageKeyOf(flowId), async (bytes) => {
        const ledger = await swept(flowId, bytes)
        ledger.delete(name)
        const others = [...ledger.values()].reduce((sum, [size]) => sum + size, 0)
        const size = await files.update(keyOf(flowId, name), async (before) => {
          const after = await change(before)
          if (ledger.size >= MAX_PER_FLOW.files || others + after.length > MAX_PER_FLOW.bytes) {
            throw new Error(
              'The visitors of this flow have reached their file quota. Try again later.',
            )
          }
          return after
        })
        ledger.set(name, [size, runtime.now().getTime()])
        return writeLedger(ledger)
      })
    },
    async sweep() {
      for (const file of await files.list(LEDGERS)) {
        const flowId = file.replace(/\.json$/, '')
        let isEmpty = false
        await files.update(usageKeyOf(flowId), async (bytes) => {
          const ledger = await swept(flowId, bytes)
          isEmpty = ledger.size === 0
          return writeLedger(ledger)
        })
        if (isEmpty) await files.remove(usageKeyOf(flowId))
      }
    },
  }
}

/** The blob key of the ledger of a flow's visitor files. */
export function usageKeyOf(flowId: string): string {
  return `${LEDGERS}/${flowId}.json`
}

const Entries = z.array(z.tuple([z.string(), z.tuple([z.number(), z.number()])]))

function readLedger(bytes: Uint8Array | null): Ledger {
  if (bytes === null) return new Map()
  return new Map(Entries.parse(JSON.parse(new TextDecoder().decode(bytes))))
}

function writeLedger(ledger: Ledger): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([...ledger]))
}
