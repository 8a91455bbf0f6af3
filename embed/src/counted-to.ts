/** A share on its way to `goal`, in the same form. An upper bound stays: below it there is only a false 0. */
export const countedTo = (part: number, goal: string): string =>
  goal.includes('<')
    ? goal
    : goal.replace(/\d+(?:([.,])\d)?/, (number, point: string | undefined) =>
        (part * Number(number.replace(',', '.'))).toFixed(point ? 1 : 0).replace('.', point ?? ''),
      )
