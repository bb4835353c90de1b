/** Milliseconds of processor time of this process up to now; other processes do not change it. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
