import { expect, test } from 'vitest'
import { createAdmission } from './admission.ts'
import { createRunSlots } from './run-slots.ts'

const refused = new Error('no more today')

/** One place at once, and as many runs of the day as `left` says. */
function admissionOf(left: number) {
  const day = { left }
  const quota = {
    take() {
      if (day.left === 0) return Promise.reject(refused)
      day.left -= 1
      return Promise.resolve(async () => void (day.left += 1))
    },
  }
  return { day, admission: createAdmission({ places: createRunSlots(1), quota }) }
}

test('OP-18: a run that the quota refuses holds no place', async () => {
  const { day, admission } = admissionOf(0)
  await expect(admission.run('ada')).rejects.toBe(refused)
  day.left = 1
  const { release } = await admission.run('ada')
  await expect(admission.run('ada')).rejects.toMatchObject({ status: 429 })
  release()
  await expect(admission.run('ada')).rejects.toBe(refused)
})

test('OP-18: what was not started is given back once, its place and its run of the day', async () => {
  const { day, admission } = admissionOf(2)
  const { undo, release } = await admission.run('ada')
  await undo()
  release()
  expect(day.left).toBe(2)
  const second = await admission.run('ada')
  await expect(admission.run('ada')).rejects.toMatchObject({ status: 429 })
  second.release()
  expect(day.left).toBe(1)
})

test('OP-18: a job takes no place, and gives its run of the day back', async () => {
  const { day, admission } = admissionOf(1)
  const { undo } = await admission.job('ada')
  await expect(admission.job('ada')).rejects.toBe(refused)
  await undo()
  expect(day.left).toBe(1)
  await admission.run('ada')
})
