import { expect, test } from 'vitest'
import { readLargeGroups } from './large-groups.ts'

test(
  'AB-88 SH-64 three groups of 200 members are read to the end while the server answers others',
  { tags: ['long'] },
  async () => {
    const read = await readLargeGroups(3, 200)
    expect(read.members).toBe(3 * 200)
    expect(read.tail).toMatch(/\]\}$/)
    expect(read.grown).toBeLessThan(100)
    expect(read.membersOfOne).toBe(200)
  },
)
