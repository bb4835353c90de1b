import { eventLoopTurn } from '@x/wire'
import { decodeWindows } from '@x/wire'

/** Yields to the event loop after this many bytes. */
const TURN = 1024 * 1024

/** Decodes bytes in steps, as UTF-8 or with the given decoder. @throws the error of a fatal decoder */
export async function decodeText(
  bytes: Uint8Array,
  decoder: InstanceType<typeof TextDecoder> = new TextDecoder(),
): Promise<string> {
  const whole = await inSteps(bytes, (piece) => decoder.decode(piece, { stream: true }))
  return whole + decoder.decode()
}

/** Decodes Windows-1252 in steps; see `decodeWindows`. */
export function decodeWindowsText(bytes: Uint8Array): Promise<string> {
  return inSteps(bytes, decodeWindows)
}

async function inSteps(bytes: Uint8Array, decode: (piece: Uint8Array) => string): Promise<string> {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += TURN) {
    if (at > 0) await eventLoopTurn()
    pieces.push(decode(bytes.subarray(at, at + TURN)))
  }
  return pieces.join('')
}
