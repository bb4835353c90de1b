import { eventLoopTurn } from '@x/wire'
import { decodeWindows } from './decode-windows.ts'

/** Bytes behind which others have their turn. */
const TURN = 1024 * 1024

/** Bytes as text, decoded in steps: in UTF-8, or by the decoder that is given. @throws what a fatal decoder throws */
export async function decodeText(
  bytes: Uint8Array,
  decoder: InstanceType<typeof TextDecoder> = new TextDecoder(),
): Promise<string> {
  const whole = await inSteps(bytes, (piece) => decoder.decode(piece, { stream: true }))
  return whole + decoder.decode()
}

/** Text in Windows-1252, decoded in steps; see `decodeWindows`. */
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
