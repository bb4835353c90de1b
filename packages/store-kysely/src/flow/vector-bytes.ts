/** Float32 in little-endian order, as on all platforms supported by Node. */
export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** A driver's buffer may start at an unaligned offset of a pool. */
export function numbersOf({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return byteOffset % 4 === 0
    ? new Float32Array(buffer, byteOffset, byteLength / 4)
    : new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
}
