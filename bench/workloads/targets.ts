import { formatTable, ratio } from '../table.ts'

export interface Target {
  readonly what: string
  readonly asked: number
  /** Null if this run did not measure it. */
  readonly measured: number | null
  /** The measured value must stay below `asked` instead of above it. */
  readonly isCeiling?: boolean
  readonly unit?: string
}

function verdict({ asked, measured, isCeiling = false }: Target): string {
  if (measured === null || Number.isNaN(measured)) return 'not measured'
  if (isCeiling ? measured <= asked : measured >= asked) return 'reached'
  return `missed by ${Math.max(1, Math.round((Math.abs(measured - asked) / asked) * 100))} %`
}

const HEAD = ['target', 'asked', 'measured', 'verdict'] as const

function rowOf(target: Target): string[] {
  const { what, asked, measured, isCeiling, unit = '' } = target
  const value = measured === null || Number.isNaN(measured) ? '' : `${ratio(measured)}${unit}`
  return [what, `${isCeiling ? 'at most' : 'at least'} ${asked}${unit}`, value, verdict(target)]
}

export const targetTable = (targets: readonly Target[]): string => formatTable(HEAD, targets.map(rowOf))
