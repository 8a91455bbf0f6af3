import { Button, FileButton, Group, Text } from '@mantine/core'
import { type ClipboardEvent, type DragEvent, lazy, type ReactNode, Suspense, useState } from 'react'
import styles from '../styles/pictures.css' with { type: 'text' }
import { filled, percent, words } from '../words/words.ts'
import { type PickedPicture, pickedPicture } from './picked-picture.ts'
import { addStyles } from './sheet.ts'

addStyles(styles)

interface PictureDropProps {
  readonly label: string
  readonly picture: PickedPicture
  readonly types: readonly string[]
  /** Said before anything is sent. */
  readonly refusalOf: (file: File) => string | null
  readonly error: string | undefined
  /** The share that is sent while an upload runs. */
  readonly sent: number | undefined
  readonly canCrop: boolean
  /** Before the buttons. */
  readonly thumbnail: ReactNode
  readonly title?: string
  readonly text: string
  readonly onChange: (picture: PickedPicture) => void
  readonly children?: ReactNode
}

const CropDialog = lazy(() => import('./crop-dialog.tsx').then((module) => ({ default: module.CropDialog })))

/** Takes a picture that is dropped, pasted or chosen. Vector graphics have no pixels to be cropped. */
export function PictureDrop(props: PictureDropProps) {
  const { label, picture, types, refusalOf, error, sent, canCrop, thumbnail, title, text, onChange, children } = props
  const { edit, crop } = words()
  const [problem, setProblem] = useState<string | null>(null)
  const [isOver, setIsOver] = useState(false)
  const [isCropping, setIsCropping] = useState(false)

  function take(file: File | null | undefined, whole?: File): void {
    if (!file) return
    const refusal = refusalOf(file)
    setProblem(refusal)
    if (!refusal) onChange(pickedPicture(file, whole))
  }

  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    take(event.dataTransfer.files[0])
  }
  const onPaste = (event: ClipboardEvent) => take(event.clipboardData.files[0])
  const whole = canCrop ? (picture?.whole ?? picture?.file) : null
  const button = (action: string, onClick: () => void, color = 'red') => (
    <Button size="compact-sm" variant="subtle" color={color} aria-label={`${action}: ${label}`} onClick={onClick}>
      {action}
    </Button>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame
    <div
      role="group"
      aria-label={label}
      className={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
      onPaste={onPaste}
    >
      <Group wrap="nowrap" align="center" gap="sm">
        {thumbnail}
        <div className="grow">
          {title && (
            <Text size="sm" fw={600} mb={4}>
              {title}
            </Text>
          )}
          <Group gap="xs">
            <FileButton onChange={take} accept={types.join(',')} inputProps={{ 'aria-label': label }}>
              {(given) => (
                <Button {...given} size="compact-sm" variant="default" aria-label={`${edit.choosePicture}: ${label}`}>
                  {edit.choosePicture}
                </Button>
              )}
            </FileButton>
            {whole && button(crop.open, () => setIsCropping(true), 'violet')}
            {picture && button(edit.removePicture, () => onChange(null))}
          </Group>
          <Text size="xs" c="dimmed" mt={4}>
            {text}
          </Text>
        </div>
      </Group>
      {sent !== undefined && (
        <div className="upload">
          <progress aria-label={`${edit.uploading} ${label}`} value={sent} max={1} />
          <span>{filled(crop.sent, { percent: percent(sent) })}</span>
        </div>
      )}
      {(problem ?? error) && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mt={6}>
          {problem ?? error}
        </Text>
      )}
      {children}
      <Suspense>
        {whole && isCropping && (
          <CropDialog file={whole} onCropped={(file) => take(file, whole)} onClose={() => setIsCropping(false)} />
        )}
      </Suspense>
    </div>
  )
}
