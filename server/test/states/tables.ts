import { markdownTable } from '../../tools/made-text.ts'
import { DESKTOP, PHONE, type Shot, type Size } from './shot.ts'
import { GROUPS } from './shots.ts'

export const sizesOf = ({ sizes = [PHONE, DESKTOP] }: Shot): readonly Size[] => sizes

/** The file of a picture in `docs/guides/images/states`. */
export const pictureName = ({ name }: Shot, [width]: Size): string => `${name}-${width}.webp`

/** The tables of the guide to states: a row for each state. */
export function stateTables(): string {
  const tables = Object.entries(GROUPS).map(([title, shots]) => {
    const rows = shots.map((shot) => {
      const pictures = sizesOf(shot).map((size) => `![${shot.title}](images/states/${pictureName(shot, size)})`)
      return [shot.title, ...pictures]
    })
    return `## ${title}\n\n${markdownTable(['', 'narrow', 'wide'], rows)}`
  })
  return tables.join('\n\n')
}
