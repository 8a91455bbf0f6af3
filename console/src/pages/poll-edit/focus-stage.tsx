import { type PointerEvent, type SyntheticEvent, useState } from 'react'
import { areaOf, type Framing, movedBy, type Point, pointAt, type Size } from '../../parts/pictures/crop.ts'
import { formWords } from '../../words/form-words.ts'
import { filled, percent } from '../../words/words.ts'

interface StageProps {
  readonly url: string | undefined
  readonly framing: Framing
  readonly hasPoint: boolean
  readonly onMove: (point: Point) => void
  readonly onSize: (size: Size) => void
  readonly onUnreadable: () => void
}

/** The whole picture with the point that stays in view. What a zoom leaves out is dimmed. */
export function FocusStage({ url, framing, hasPoint, onMove, onSize, onUnreadable }: StageProps) {
  const its = formWords().picture
  const { point } = framing
  const [isHeld, setIsHeld] = useState(false)
  const moveTo = ({ clientX, clientY, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect()
    onMove(pointAt((clientX - left) / width, (clientY - top) / height))
  }
  const onLoad = ({ currentTarget: { naturalWidth, naturalHeight } }: SyntheticEvent<HTMLImageElement>) =>
    onSize({ width: naturalWidth, height: naturalHeight })
  // In shares of the picture.
  const kept = areaOf({ width: 1, height: 1 }, framing)
  const asPercent = (share: number) => `${100 * share}%`
  return (
    <div className="focus-stage" dir="ltr">
      <div
        className="focus-picture"
        data-testid="focus-picture"
        onPointerDown={(event) => {
          if (!hasPoint) return
          event.currentTarget.setPointerCapture(event.pointerId)
          setIsHeld(true)
          moveTo(event)
          event.currentTarget.querySelector<HTMLElement>('[role=slider]')?.focus()
          // The picture would take the focus back.
          event.preventDefault()
        }}
        onPointerMove={(event) => isHeld && moveTo(event)}
        onPointerUp={() => setIsHeld(false)}
        onPointerCancel={() => setIsHeld(false)}
      >
        {url && <img src={url} alt="" draggable={false} onLoad={onLoad} onError={onUnreadable} />}
        {framing.zoom > 1 && (
          <span
            className="focus-kept"
            style={{
              left: asPercent(kept.left),
              top: asPercent(kept.top),
              width: asPercent(kept.width),
              height: asPercent(kept.height),
            }}
          />
        )}
        {hasPoint && (
          <span
            role="slider"
            tabIndex={0}
            className="focus-point"
            aria-label={its.point}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(100 * point.x)}
            aria-valuetext={filled(its.at, { across: percent(point.x), down: percent(point.y) })}
            style={{ left: asPercent(point.x), top: asPercent(point.y) }}
            onKeyDown={(event) => {
              const moved = movedBy(point, event)
              if (!moved) return
              event.preventDefault()
              onMove(moved)
            }}
          />
        )}
      </div>
    </div>
  )
}
