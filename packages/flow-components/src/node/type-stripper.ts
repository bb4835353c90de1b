/**
 * Moves the stack pointer of the parser's WebAssembly instance by a number of bytes; returns the new
 * position.
 */
type MoveStack = (bytes: number) => number

/**
 * Removes types from TypeScript, preserving positions. If deep nesting overflows the parser's stack, its
 * stack pointer is not reset; without restoring it here, every later call would fail.
 * @throws the parser's error if the source is not valid TypeScript
 */
export async function stripTypeScript(code: string): Promise<string> {
  const parser = await import('@swc/wasm-typescript')
  const move = moveStackOf(parser)
  const before = move?.(0)
  try {
    return parser.transformSync(code, { mode: 'strip-only', module: true }).code
  } catch (error) {
    if (move !== undefined && before !== undefined) move(before - move(0))
    // A WebAssembly trap, or an overflow of the surrounding JavaScript stack.
    if (error instanceof Error && ['RuntimeError', 'RangeError'].includes(error.name)) {
      throw new Error('The code is nested too deeply', { cause: error })
    }
    throw error
  }
}

/** The package does not declare the type of its WebAssembly exports. */
function moveStackOf(parser: object): MoveStack | undefined {
  const { default: inner = parser } = parser as { readonly default?: object }
  const { __wasm: wasm } = inner as { readonly __wasm?: object }
  const { __wbindgen_add_to_stack_pointer: move } = (wasm ?? {}) as {
    readonly __wbindgen_add_to_stack_pointer?: MoveStack
  }
  return move
}
