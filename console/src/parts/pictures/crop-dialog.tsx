import { Alert, Button, Group, Modal, NativeSelect, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type PointerEvent, type ReactNode, useEffect, useState } from 'react'
import { percent, words } from '../../words/words.ts'
import { areaOf, cropFile, type Framing, MIDDLE, moved, type Size } from './crop.ts'

/** The shapes in which polls show a picture: beside the other, below it on a phone, and alone. */
const SHAPES = { '1:1': 1, '8:5': 1.6, '2:1': 2 } as const
const MOST_ZOOM = 5
const MOST_HEIGHT_REM = 20

interface CropProps {
  readonly file: File
  readonly onCropped: (file: File) => void
  readonly onClose: () => void
}

/** Chooses a part of a picture: by dragging, or by three sliders that any keyboard moves. */
export function CropDialog({ file, onCropped, onClose }: CropProps) {
  const { crop, common } = words()
  const [framing, setFraming] = useState(MIDDLE)
  const [size, setSize] = useState<Size | null>(null)
  const [url, setUrl] = useState<string>()
  const [isUnreadable, setIsUnreadable] = useState(false)
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  const cropping = useMutation({ mutationFn: () => cropFile(file, framing) })
  // Callbacks of `mutate` are not called once the dialog is closed: a cancelled part is dropped.
  const apply = () =>
    cropping.mutate(undefined, {
      onSuccess(part) {
        onCropped(part)
        onClose()
      },
    })
  const change = (changed: Partial<Framing>) => setFraming((before) => ({ ...before, ...changed }))
  const slider = (name: 'zoom' | 'across' | 'down', [least, most]: readonly [number, number]) => (
    <label className="crop-slider">
      {crop[name]}
      <input
        type="range"
        min={least}
        max={most}
        step={0.01}
        value={framing[name]}
        aria-valuetext={percent(framing[name])}
        dir={name === 'across' ? 'ltr' : undefined}
        onChange={(event) => change({ [name]: event.currentTarget.valueAsNumber })}
      />
    </label>
  )
  return (
    <Modal opened onClose={onClose} title={crop.title} centered closeButtonProps={{ 'aria-label': common.close }}>
      <Stack gap="sm">
        <CropFrame size={size} framing={framing} onMove={setFraming}>
          {url && (
            <img
              src={url}
              alt=""
              draggable={false}
              style={size ? placeOf(size, framing) : { width: '100%' }}
              onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSize({ width, height })}
              onError={() => setIsUnreadable(true)}
            />
          )}
        </CropFrame>
        <NativeSelect
          label={crop.shape}
          data={Object.entries(SHAPES).map(([label, ratio]) => ({ label, value: String(ratio) }))}
          value={String(framing.ratio)}
          onChange={(event) => change({ ratio: Number(event.currentTarget.value) })}
        />
        {slider('zoom', [1, MOST_ZOOM])}
        {slider('across', [0, 1])}
        {slider('down', [0, 1])}
        {(isUnreadable || cropping.isError) && (
          <Alert color="red" role="alert">
            {crop.unreadable}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button disabled={!size || isUnreadable} loading={cropping.isPending} onClick={apply}>
            {crop.apply}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** So that the part fills the frame. */
function placeOf(picture: Size, framing: Framing) {
  const { width, height, left, top } = areaOf(picture, framing)
  return {
    width: `${(100 * picture.width) / width}%`,
    left: `${(-100 * left) / width}%`,
    top: `${(-100 * top) / height}%`,
  }
}

interface FrameProps {
  readonly size: Size | null
  readonly framing: Framing
  readonly onMove: (framing: Framing) => void
  readonly children: ReactNode
}

/** The picture is dragged below it. The sliders do the same for keyboards. */
function CropFrame({ size, framing, onMove, children }: FrameProps) {
  const { ratio } = framing
  const [from, setFrom] = useState<{ readonly x: number; readonly y: number; readonly framing: Framing } | null>(null)
  const onPointerMove = ({ clientX, clientY, currentTarget }: PointerEvent<HTMLDivElement>) => {
    if (!from || !size) return
    const { width, height } = currentTarget.getBoundingClientRect()
    onMove(moved(size, from.framing, { across: (clientX - from.x) / width, down: (clientY - from.y) / height }))
  }
  return (
    <div
      className="crop-frame"
      data-testid="crop-frame"
      dir="ltr"
      style={{ aspectRatio: ratio, width: `min(100%, ${MOST_HEIGHT_REM * ratio}rem)` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setFrom({ x: event.clientX, y: event.clientY, framing })
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => setFrom(null)}
      onPointerCancel={() => setFrom(null)}
    >
      {children}
    </div>
  )
}
