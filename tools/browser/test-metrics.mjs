import assert from 'node:assert/strict'

/** The page of metrics shows what this process has done. */
export async function testMetrics(page, { passed, picture }) {
  await page.getByRole('link', { name: 'Metrics', exact: true }).click()
  const requests = page.getByRole('table', { name: 'Requests' })
  await requests.waitFor()
  const runs = page.getByRole('table', { name: 'Runs' })
  await runs.getByRole('row', { name: /^succeeded \d+ \d+\.\d ms$/ }).waitFor()
  await page
    .getByRole('table', { name: 'Process' })
    .getByRole('row', { name: /^Resident memory \d+ MiB$/ })
    .waitFor()
  const before = await requests.textContent()
  await page.evaluate(() => fetch('/api/v1/users/whoami'))
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.waitForFunction(
    (text) => document.querySelector('[aria-label=Requests] table')?.textContent !== text,
    before,
  )
  assert.match(before, /POST \/api\/v1\/build\/\{flow_id\}\/flow/)
  passed('OP-8: a superuser sees requests, runs and resources of the process')
  await picture(page, 'console-metrics.png')
}
