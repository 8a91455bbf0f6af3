import type uPlot from 'uplot'

/** Something that happened to a poll, marked on its charts by its number. */
export interface TimedNote {
  readonly at: string
  readonly text: string
}

const FONT_PX = 11
const INSET_PX = 3

/** A dashed line for each note, with its number at the top. */
export function drawNotes({ ctx, bbox, scales, valToPos }: uPlot, notes: readonly TimedNote[], color: string): void {
  const { min, max } = scales['x'] ?? {}
  if (min === undefined || max === undefined) return
  const { devicePixelRatio: ratio } = window
  ctx.save()
  ctx.strokeStyle = color
  ctx.fillStyle = color
  ctx.lineWidth = ratio
  ctx.setLineDash([4 * ratio, 4 * ratio])
  ctx.font = `600 ${FONT_PX * ratio}px sans-serif`
  ctx.textAlign = 'left'
  ctx.textBaseline = 'top'
  for (const [index, { at }] of notes.entries()) {
    const seconds = Date.parse(at) / 1000
    if (seconds < min || seconds > max) continue
    const x = Math.round(valToPos(seconds, 'x', true))
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    ctx.fillText(String(index + 1), x + INSET_PX * ratio, bbox.top + INSET_PX * ratio)
  }
  ctx.restore()
}
