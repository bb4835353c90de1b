/** The path of a program in one file whose imports of these packages reach what their builds give. */
export function joinBuilt(entry: string, packages: readonly string[]): Promise<string>
