/**
 * A text that clients, which take texts as Markdown, show as it is written: marks, links and tags of users stay
 * words. Space at the beginning and end of lines is dropped.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/^[ \t]+|[ \t]+$/gm, '')
    .replaceAll(/[\\`*_[\]<>&~|#]/g, String.raw`\$&`)
    .replaceAll(/^[-+=]/gm, String.raw`\$&`)
    .replaceAll(/^(\d{1,9})([.)])/gm, String.raw`$1\$2`)
}
