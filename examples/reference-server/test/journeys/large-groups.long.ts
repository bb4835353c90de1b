import { test } from 'vitest'
import { readLargeGroups } from './large-groups.ts'

test('AB-88 SH-64 200 groups of 20,000 members are read to the end while the server answers others', () =>
  readLargeGroups(200))
