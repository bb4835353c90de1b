// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { run, testRunner } from './python-runs.ts'

const runner = testRunner()
const HEAD = 'import numpy as np\n'

test.each([
  ['np.array([[1, 2], [3, 4]]).shape', [2, 2]],
  [
    '[np.zeros(2), np.ones((1, 2)), np.eye(2), np.arange(1, 7, 2), np.linspace(0, 1, 3)]',
    [
      [0, 0],
      [[1, 1]],
      [
        [1, 0],
        [0, 1],
      ],
      [1, 3, 5],
      [0, 0.5, 1],
    ],
  ],
  [
    '[m.T, m.ndim, m.size, str(m.dtype), m.astype(float).dtype == np.float64, m.reshape(-1).tolist(), m.flatten()]',
    [
      [
        [1, 4],
        [2, 5],
        [3, 6],
      ],
      2,
      6,
      'int64',
      true,
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
    ],
  ],
  [
    '[m[0], m[1, 2], m[:, 1], m[0:1, ::2], m[[1, 0]], m[m > 4], m[-1][0]]',
    [
      [1, 2, 3],
      6,
      [2, 5],
      [[1, 3]],
      [
        [4, 5, 6],
        [1, 2, 3],
      ],
      [5, 6],
      4,
    ],
  ],
  [
    '[m + 1, 10 - v, m * v, m / m.sum(axis=1)[:, np.newaxis], m ** 2, m == 2]',
    [
      [
        [2, 3, 4],
        [5, 6, 7],
      ],
      [9, 8, 7],
      [
        [1, 4, 9],
        [4, 10, 18],
      ],
      [
        [1 / 6, 2 / 6, 3 / 6],
        [4 / 15, 5 / 15, 6 / 15],
      ],
      [
        [1, 4, 9],
        [16, 25, 36],
      ],
      [
        [false, true, false],
        [false, false, false],
      ],
    ],
  ],
  [
    '[v @ v, m @ v, np.dot(m, m.T), np.matmul(v, m.T), np.outer([1, 2], [3, 4])]',
    [
      14,
      [14, 32],
      [
        [14, 32],
        [32, 77],
      ],
      [14, 32],
      [
        [3, 4],
        [6, 8],
      ],
    ],
  ],
  ['[np.linalg.norm([3, 4]), np.linalg.norm([[3, 4], [6, 8]], axis=1)]', [5, [5, 10]]],
  [
    '[m.sum(), m.mean(axis=0), np.std([1, 3]), np.var([1, 3]), m.min(), m.max(axis=1), np.argmin([3, 1]), m.argmax(axis=1)]',
    [21, [2.5, 3.5, 4.5], 1, 1, 1, [3, 6], 1, [2, 2]],
  ],
  [
    '[np.argsort([3, 1, 2])[::-1], np.sort([3, 1]), np.cumsum([1, 2]), np.abs([-1]), np.sqrt(4), np.exp(0), np.log(1), np.clip([1, 9], 2, 5), np.round([1.26], 1)]',
    [[0, 2, 1], [1, 3], [1, 3], [1], 2, 1, 0, [2, 5], [1.3]],
  ],
  [
    '[np.where(v > 1, v, 0), np.where(v > 1)[0], np.concatenate([v, [4]]), np.vstack([v, v]), np.hstack([v, v]), np.stack([v, v]), np.unique([2, 1, 2]), np.isnan([np.nan, 1])]',
    [
      [0, 2, 3],
      [1, 2],
      [1, 2, 3, 4],
      [
        [1, 2, 3],
        [1, 2, 3],
      ],
      [1, 2, 3, 1, 2, 3],
      [
        [1, 2, 3],
        [1, 2, 3],
      ],
      [1, 2],
      [true, false],
    ],
  ],
  [
    '[round(np.pi, 2), np.inf > 1, np.float32(2), np.int64(3), len(np.random.rand(3)), np.random.randn(2, 2).shape, np.random.choice(["a"])]',
    [3.14, true, 2, 3, 3, [2, 2], 'a'],
  ],
  [
    'np.random.seed(1); a = np.random.rand(); np.random.seed(1); result = a == np.random.rand()',
    true,
  ],
])('FF-76: %s', async (text, expected) => {
  const [last = '', ...before] = text.split('; ').toReversed()
  const body = [
    `${HEAD}v = np.array([1, 2, 3])`,
    'm = np.asarray([[1, 2, 3], [4, 5, 6]])',
    ...before.toReversed(),
    last.startsWith('result = ') ? last.replace('result = ', 'return ') : `return ${last}`,
  ]
  expect(await run(runner, body.join('\n'))).toEqual(expected)
})

test('FF-76: the cosine similarity of 1,000 vectors of 1,536 numbers', async () => {
  const body = `${HEAD}import time
from sklearn.metrics.pairwise import cosine_similarity
rows = [[float((r * 31 + c * 7) % 97) for c in range(1536)] for r in range(1000)]
begun = time.process_time()
matrix, one = np.array(rows), np.array(rows[5])
found = matrix @ one / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(one))
spent = time.process_time() - begun
begun = time.process_time()
sum(sum(a * b for a, b in zip(row, rows[5])) for row in rows)
loop = time.process_time() - begun
return [int(np.argmax(found)) % 97, round(float(found[5]), 6), round(float(cosine_similarity([rows[5]], rows[:6])[0][5]), 6), spent / loop]`
  const [best, own, same, ratio] = (await run(runner, body)) as number[]
  expect([best, own, same]).toEqual([5, 1, 1])
  // A plain loop over the products takes some 0.5 s on an idle machine.
  expect(ratio).toBeLessThan(4)
})

test('FF-76: any other name says that it needs the wheel', async () => {
  await expect(run(runner, `${HEAD}return np.fft`)).rejects.toThrow(
    'numpy.fft needs the wheel of numpy',
  )
})
