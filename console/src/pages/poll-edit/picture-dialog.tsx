import { Alert, Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { cropFile, pointAt, pointIn, type Size } from '../../parts/pictures/crop.ts'
import { pickedPicture } from '../../parts/pictures/picked-picture.ts'
import { formWords } from '../../words/form-words.ts'
import { percent, words } from '../../words/words.ts'
import { FocusStage } from './focus-stage.tsx'
import { Frames } from './frames.tsx'
import type { OptionDraft, PollDraft } from './poll-draft.ts'
import type { Slot } from './save-poll.ts'

const MOST_ZOOM = 5
const FITS = ['cover', 'contain'] as const

export interface PictureDialogProps {
  readonly draft: PollDraft
  readonly slot: Slot
  readonly onApply: (change: Partial<OptionDraft>) => void
  readonly onClose: () => void
}

/**
 * Places a picture in the frames of polls: whether it fills them, the point that stays in view, and a closer part of it, which
 * only a file has that is not uploaded yet.
 */
export function PictureDialog({ draft, slot, onApply, onClose }: PictureDialogProps) {
  const option = draft[slot]
  const { picture } = option
  const whole = picture?.crop?.whole ?? picture?.file ?? null
  const { crop, common } = words()
  const its = formWords().picture
  const isPhone = useMediaQuery('(max-width: 48em)')
  const [fit, setFit] = useState(option.fit)
  const [framing, setFraming] = useState(
    () => picture?.crop?.framing ?? { zoom: 1, point: pointAt(option.focusX, option.focusY) },
  )
  const [size, setSize] = useState<Size | null>(null)
  const [isUnreadable, setIsUnreadable] = useState(false)
  const isCropped = whole !== null && framing.zoom > 1
  const url = useUrl(whole) ?? picture?.url
  const { x: focusX, y: focusY } = size ? pointIn(size, framing) : framing.point
  const placing = { fit, focusX, focusY }
  const cropping = useMutation({
    async mutationFn(): Promise<Partial<OptionDraft>> {
      if (!whole) return placing
      if (!isCropped) return { ...placing, picture: pickedPicture(whole) }
      return { ...placing, picture: { ...pickedPicture(await cropFile(whole, framing)), crop: { whole, framing } } }
    },
  })
  // Callbacks of `mutate` are not called once the dialog is closed: a cancelled part is dropped.
  const apply = () =>
    cropping.mutate(undefined, {
      onSuccess(change) {
        onApply(change)
        onClose()
      },
    })
  const shown = useCropped(isCropped ? whole : null, framing)
  const shownPicture = picture && { file: picture.file, url: (isCropped ? shown : url) ?? picture.url }
  // Around its middle, a picture that is shown whole has no point to choose.
  const hasPoint = fit === 'cover' || isCropped
  return (
    <Modal opened onClose={onClose} title={its.title} size={880} centered fullScreen={isPhone ?? false}>
      <div className="placing">
        <Stack gap="sm">
          <FocusStage
            url={url}
            framing={framing}
            hasPoint={hasPoint}
            onMove={(point) => setFraming((before) => ({ ...before, point }))}
            onSize={setSize}
            onUnreadable={() => setIsUnreadable(true)}
          />
          <Text size="sm" c="dimmed">
            {its.text}
          </Text>
          {whole && (
            <label className="crop-slider">
              {its.zoom}
              <input
                type="range"
                min={1}
                max={MOST_ZOOM}
                step={0.01}
                value={framing.zoom}
                aria-valuetext={percent(framing.zoom)}
                onChange={(event) => {
                  const zoom = event.currentTarget.valueAsNumber
                  setFraming((before) => ({ ...before, zoom }))
                }}
              />
              <span>{percent(framing.zoom)}</span>
            </label>
          )}
        </Stack>
        <Stack gap="md">
          <Radio.Group label={its.fit} value={fit} onChange={(value) => setFit(value as typeof fit)}>
            <Stack gap="xs" mt={6}>
              {FITS.map((each) => (
                <Radio key={each} value={each} label={its[`fit_${each}`]} description={its[`fit_${each}_text`]} />
              ))}
            </Stack>
          </Radio.Group>
          <Frames draft={{ ...draft, [slot]: { ...option, ...placing, picture: shownPicture } }} />
        </Stack>
      </div>
      {(isUnreadable || cropping.isError) && (
        <Alert color="red" role="alert" mt="md">
          {crop.unreadable}
        </Alert>
      )}
      <Group justify="flex-end" className="placing-end">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button disabled={!size || isUnreadable} loading={cropping.isPending} onClick={apply}>
          {its.apply}
        </Button>
      </Group>
    </Modal>
  )
}

/** An address of a file, for as long as it is shown. */
function useUrl(file: File | null): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!file) return setUrl(undefined)
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}

const STILL_MS = 120
const SHOWN_SIDE = 800

/** The cropped picture, small, once the hand rests. */
function useCropped(whole: File | null, framing: Parameters<typeof cropFile>[1]): string | undefined {
  const [file, setFile] = useState<File | null>(null)
  useEffect(() => {
    if (!whole) return setFile(null)
    let isWanted = true
    const write = () =>
      cropFile(whole, framing, SHOWN_SIDE)
        .then((made) => isWanted && setFile(made))
        // The button that applies the part says it.
        .catch(() => undefined)
    const waiting = setTimeout(write, STILL_MS)
    return () => {
      isWanted = false
      clearTimeout(waiting)
    }
  }, [whole, framing])
  return useUrl(file)
}
