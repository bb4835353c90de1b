/** What of the parser's WebAssembly is used here; the package exports it without types. */
interface Wasm {
  __wbindgen_add_to_stack_pointer(bytes: number): number
}

/**
 * TypeScript without its types, positions kept. A text that nests so deeply that the parser's stack
 * overflows leaves its stack pointer where it was: without putting it back, every later text of
 * everybody would fail.
 * @throws what the parser throws for a text that is no TypeScript
 */
export async function stripTypeScript(code: string): Promise<string> {
  const parser = await import('@swc/wasm-typescript')
  const wasm = wasmOf(parser)
  const before = wasm?.__wbindgen_add_to_stack_pointer(0)
  try {
    return parser.transformSync(code, { mode: 'strip-only', module: true }).code
  } catch (error) {
    if (wasm !== undefined && before !== undefined) {
      wasm.__wbindgen_add_to_stack_pointer(before - wasm.__wbindgen_add_to_stack_pointer(0))
    }
    // The trap of WebAssembly, or of the stack around it.
    if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)) {
      throw new Error('The code is nested too deeply', { cause: error })
    }
    throw error
  }
}

function wasmOf(parser: object): Wasm | undefined {
  const { default: inner = parser } = parser as { readonly default?: object }
  return (inner as { readonly __wasm?: Wasm }).__wasm
}
