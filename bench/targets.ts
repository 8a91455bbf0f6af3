import { ratio } from './table.ts'

export interface Target {
  readonly what: string
  readonly least: number
  readonly aim?: number
  /** Null if this run did not measure it. */
  readonly measured: number | null
  /** The measured value must stay below `least` instead of above it. */
  readonly isCeiling?: boolean
  readonly unit?: string
}

export function verdict({ least, aim, measured, isCeiling = false }: Target): string {
  if (measured === null || Number.isNaN(measured)) return 'not measured'
  const reaches = (asked: number) => (isCeiling ? measured <= asked : measured >= asked)
  if (!reaches(least)) return `missed by ${Math.max(1, Math.round((Math.abs(measured - least) / least) * 100))} %`
  return aim !== undefined && reaches(aim) ? 'reached, and the aim' : 'reached'
}

export const targetHead = ['target', 'asked', 'measured', 'verdict'] as const

export function targetRow(target: Target): string[] {
  const { what, least, aim, measured, isCeiling, unit = '' } = target
  const asked = `${isCeiling ? 'at most' : 'at least'} ${least}${unit}${aim === undefined ? '' : ` (aim ${aim})`}`
  const value = measured === null || Number.isNaN(measured) ? '' : `${ratio(measured)}${unit}`
  return [what, asked, value, verdict(target)]
}
