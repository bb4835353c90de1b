import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
/** A full collection, in a process that was not started for it. */
export const collectGarbage = runInNewContext('gc') as () => void
