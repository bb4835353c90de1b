/** The SVG of a terminal: a command and the text that it printed. */
export function terminalPicture(command: string, output: string): string
