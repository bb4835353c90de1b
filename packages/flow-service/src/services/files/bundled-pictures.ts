import type { ProfilePictures } from './profile-pictures.ts'

const FRAME = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'

/** A round picture on a solid background. */
function drawing(ground: string, shapes: string): string {
  return `${FRAME}<circle cx="32" cy="32" r="32" fill="${ground}"/>${shapes}</svg>`
}

/** Head and shoulders; the colours distinguish people. */
function person(ground: string, hair: string, skin: string, shirt: string): string {
  return drawing(
    ground,
    `<path d="M12 60a20 18 0 0 1 40 0z" fill="${shirt}"/>` +
      `<circle cx="32" cy="24" r="14" fill="${hair}"/>` +
      `<circle cx="32" cy="28" r="11" fill="${skin}"/>` +
      `<circle cx="28" cy="27" r="1.5"/><circle cx="36" cy="27" r="1.5"/>` +
      `<path d="M28 33q4 3 8 0" fill="none" stroke="#333" stroke-width="1.5"/>`,
  )
}

/** Original drawings; the editor requests `Space/046-rocket.svg` by default. */
const drawings: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'People',
    new Map([
      ['001-ada.svg', person('#dbeafe', '#4b2e1e', '#f2c9a5', '#2563eb')],
      ['002-ben.svg', person('#dcfce7', '#1f1f1f', '#8d5a3b', '#16a34a')],
      ['003-chi.svg', person('#fef9c3', '#111827', '#e3b78f', '#ca8a04')],
      ['004-dov.svg', person('#fae8ff', '#b45309', '#f6d7bd', '#a21caf')],
    ]),
  ],
  [
    'Space',
    new Map([
      [
        '012-planet.svg',
        drawing(
          '#1e1b4b',
          '<circle cx="32" cy="32" r="15" fill="#f59e0b"/>' +
            '<ellipse cx="32" cy="32" rx="26" ry="7" fill="none" stroke="#fde68a" stroke-width="3" transform="rotate(-20 32 32)"/>',
        ),
      ],
      [
        '021-moon.svg',
        drawing(
          '#0f172a',
          '<circle cx="32" cy="32" r="18" fill="#e2e8f0"/>' +
            '<circle cx="26" cy="26" r="4" fill="#94a3b8"/><circle cx="38" cy="36" r="5" fill="#94a3b8"/>',
        ),
      ],
      [
        '046-rocket.svg',
        drawing(
          '#312e81',
          '<path d="M32 10q12 12 8 30H24q-4-18 8-30z" fill="#f8fafc"/>' +
            '<circle cx="32" cy="26" r="5" fill="#38bdf8"/>' +
            '<path d="M24 34l-7 10 8-3zM40 34l7 10-8-3z" fill="#ef4444"/>' +
            '<path d="M28 41h8l-4 13z" fill="#fbbf24"/>',
        ),
      ],
      [
        '052-star.svg',
        drawing(
          '#020617',
          '<path d="M32 12l6 13 14 2-10 10 2 14-12-7-12 7 2-14-10-10 14-2z" fill="#fde047"/>',
        ),
      ],
    ]),
  ],
])

/** The pictures bundled with the package. */
export const bundledPictures: ProfilePictures = {
  async list() {
    return [...drawings].flatMap(([folder, pictures]) =>
      [...pictures.keys()].map((name) => ({ folder, name })),
    )
  },
  async read(folder, name) {
    const text = drawings.get(folder)?.get(name)
    return text === undefined ? null : new TextEncoder().encode(text)
  },
}
