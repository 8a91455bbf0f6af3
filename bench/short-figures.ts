import { count } from './table.ts'

/** Two digits that count, and no zeros behind them. */
export const short = (value: number): string =>
  count(value >= 100 ? value : 0) !== '0' ? count(value) : String(Number(value.toPrecision(2)))

export const percent = (share: number): string => (share > 2 ? `${short(share)} times` : `${short(share * 100)} %`)

export const gigabytes = (bytes: number): string => `${short(bytes / 1e9)} GB`

export const time = (seconds: number): string => (seconds > 120 ? `${short(seconds / 60)} min` : `${short(seconds)} s`)

export const days = (value: number): string => (value > 730 ? `${short(value / 365)} years` : `${short(value)} days`)
