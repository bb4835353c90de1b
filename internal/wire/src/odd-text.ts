/**
 * Text that stores tend to mangle: quotes, emoji, combining marks, line endings, LIKE and JSON characters.
 */
export const oddText = `O'Neil "x" \\ \u{1F680} e\u0301 \r\n\t %_* [a] {b} \u2028 \uFFFD`
