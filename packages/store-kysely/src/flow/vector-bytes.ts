/** Float32, in the byte order of every platform that Node runs on. */
export function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** A driver's buffer may begin anywhere in a pool. */
export function numbersOf({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return byteOffset % 4 === 0
    ? new Float32Array(buffer, byteOffset, byteLength / 4)
    : new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
}
