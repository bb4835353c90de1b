import { test } from 'vitest'
import { readLargeGroups } from './large-groups.ts'

test(
  'AB-88 SH-64 six groups of 20,000 members are read to the end while the server answers others',
  () => readLargeGroups(6),
  60_000,
)
