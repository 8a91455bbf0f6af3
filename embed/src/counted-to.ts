/**
 * A share on its way to `goal`, in the same form. It is rounded down, so that it reaches its goal at the very end. An upper bound
 * stays: below it there is only a false 0.
 */
export function countedTo(part: number, goal: string): string {
  if (part === 1 || goal.includes('<')) return goal
  return goal.replace(/\d+(?:([.,])\d)?/, (number, point: string | undefined) => {
    const unit = point ? 10 : 1
    const counted = Math.floor(part * unit * Number(number.replace(',', '.'))) / unit
    return counted.toFixed(point ? 1 : 0).replace('.', point ?? '')
  })
}
