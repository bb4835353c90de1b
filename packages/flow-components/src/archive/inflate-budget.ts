import { FlowError } from '@x/flow-engine'

const MB = 1024 * 1024
/** Unpacked size limit of one uploaded file. */
const MAX_BYTES = 100 * MB
const MAX_RATIO = 100
/** Every file may unpack to this size, whatever its ratio. */
const MIN_BYTES = MB
const MAX_ENTRIES = 10_000

/** The number of bytes that a file may still unpack to. */
export interface InflateBudget {
  /** @throws FlowError `limit_exceeded` when the unpacked size exceeds the limit */
  spend(bytes: number): void
  /** @throws FlowError `limit_exceeded` for more than 10,000 entries */
  enter(): void
}

/**
 * The budget for a file of this size: 100 times the size, at least 1 MiB and at most `most` (default 100
 * MiB). It counts the bytes actually inflated, not the sizes declared in the archive.
 */
export function createInflateBudget(fileBytes: number, most = MAX_BYTES): InflateBudget {
  let bytes = Math.min(most, Math.max(MIN_BYTES, fileBytes * MAX_RATIO))
  let entries = MAX_ENTRIES
  return {
    spend(count) {
      bytes -= count
      if (bytes < 0) throw tooLarge(most)
    },
    enter() {
      entries -= 1
      if (entries < 0) throw tooMany()
    },
  }
}

function tooLarge(most: number): FlowError {
  const text = `The file is too large when unpacked (limit ${most / MB} MB)`
  return new FlowError('limit_exceeded', text)
}

function tooMany(): FlowError {
  const text = `The file has too many entries (limit ${MAX_ENTRIES})`
  return new FlowError('limit_exceeded', text)
}
