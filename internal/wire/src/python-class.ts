/** The name of the first class in Python source code. */
export function pythonClass(code: string): string | undefined {
  return /^[ \t]*class\s+(\w+)/m.exec(code)?.[1]
}
