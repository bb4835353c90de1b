export const BUILT = {
  script: { name: 'page-0.js', body: '' },
  style: { name: 'page-0.css', body: '' },
  words: [] as { name: string; body: string }[],
}
