/** Splits a string into slices of about `size` characters, without separating surrogate pairs. */
export function* textSlices(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = isPair(text, at + size - 1) ? at + size + 1 : at + size
    yield text.slice(at, end)
    at = end
  }
}

function isPair(text: string, at: number): boolean {
  return isSurrogate(text, at, 0xd8_00) && isSurrogate(text, at + 1, 0xdc_00)
}

/** True for one of the 1,024 code units from `first` on. */
function isSurrogate(text: string, at: number, first: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= first && unit < first + 0x4_00
}
