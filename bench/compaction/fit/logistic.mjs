/** Logistic regression by Newton's method, with weights of rows and a little shrinking. */
const solve = (matrix, right) => {
  const size = right.length
  const rows = matrix.map((row, index) => [...row, right[index]])
  for (let pivot = 0; pivot < size; pivot++) {
    let largest = pivot
    for (let row = pivot + 1; row < size; row++) {
      if (Math.abs(rows[row][pivot]) > Math.abs(rows[largest][pivot])) largest = row
    }
    ;[rows[pivot], rows[largest]] = [rows[largest], rows[pivot]]
    for (let row = pivot + 1; row < size; row++) {
      const factor = rows[row][pivot] / rows[pivot][pivot]
      if (factor === 0) continue
      for (let column = pivot; column <= size; column++) rows[row][column] -= factor * rows[pivot][column]
    }
  }
  const solution = new Float64Array(size)
  for (let row = size - 1; row >= 0; row--) {
    let rest = rows[row][size]
    for (let column = row + 1; column < size; column++) rest -= rows[row][column] * solution[column]
    solution[row] = rest / rows[row][row]
  }
  return solution
}

export const scoreOf = (signals, weights) => {
  let score = 0
  for (let index = 0; index < signals.length; index++) score += signals[index] * weights[index]
  return score
}

/** `rows`: [{ signals, weight, isNeeded }]. Returns a weight per signal. */
export const fit = (rows, { shrink = 3, rounds = 14, close = 1e-4 } = {}) => {
  const size = rows[0].signals.length
  const weights = new Float64Array(size)
  for (let round = 0; round < rounds; round++) {
    const slope = new Float64Array(size)
    const curve = Array.from({ length: size }, () => new Float64Array(size))
    for (const { signals, weight, isNeeded } of rows) {
      const chance = 1 / (1 + Math.exp(-scoreOf(signals, weights)))
      const error = weight * (Number(isNeeded) - chance)
      const bend = weight * chance * (1 - chance)
      for (let row = 0; row < size; row++) {
        if (signals[row] === 0) continue
        slope[row] += error * signals[row]
        for (let column = 0; column <= row; column++) curve[row][column] += bend * signals[row] * signals[column]
      }
    }
    for (let row = 0; row < size; row++) {
      slope[row] -= shrink * weights[row]
      curve[row][row] += shrink
      for (let column = 0; column < row; column++) curve[column][row] = curve[row][column]
    }
    const change = solve(curve, slope)
    for (let index = 0; index < size; index++) weights[index] += change[index]
    if (Math.max(...change.map(Math.abs)) < close) break
  }
  return weights
}

/** How often a needed row has a higher score than one that is not: 0.5 is chance, 1 is perfect. */
export const ranking = (rows, weights) => {
  const scored = rows.map(({ signals, isNeeded }) => ({ score: scoreOf(signals, weights), isNeeded }))
  scored.sort((a, b) => a.score - b.score)
  let [needed, ranks] = [0, 0]
  for (const [index, { isNeeded }] of scored.entries()) {
    if (!isNeeded) continue
    needed++
    ranks += index + 1
  }
  return (ranks - (needed * (needed + 1)) / 2) / (needed * (scored.length - needed))
}
