import { Button, FileButton, Group, Text } from '@mantine/core'
import { type ClipboardEvent, type DragEvent, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import styles from '../../styles/pictures.css' with { type: 'text' }
import { filled, percent, words } from '../../words/words.ts'
import { addStyles } from '../polls/sheet.ts'
import { type PickedPicture, pickedPicture } from './picked-picture.ts'

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
  /** A dialog that places the picture, if the field has one. */
  readonly adjusting?: { readonly label: string; readonly dialog: (onClose: () => void) => ReactNode }
  /** Before the buttons. */
  readonly thumbnail: ReactNode
  readonly title?: string
  readonly text: string
  readonly onChange: (picture: PickedPicture) => void
  readonly children?: ReactNode
}

/** Takes a picture that is dropped, pasted or chosen. */
export function PictureDrop(props: PictureDropProps) {
  const { label, picture, types, refusalOf, error, sent, adjusting, thumbnail, title, text, onChange, children } = props
  const { edit, crop } = words()
  const [problem, setProblem] = useState<string | null>(null)
  const [isOver, setIsOver] = useState(false)
  const [isAdjusting, setIsAdjusting] = useState(false)
  const adjustButton = useRef<HTMLButtonElement>(null)
  const blob = picture?.file ? picture.url : null
  useEffect(() => () => void (blob && URL.revokeObjectURL(blob)), [blob])

  function take(file: File | null | undefined): void {
    if (!file) return
    const refusal = refusalOf(file)
    setProblem(refusal)
    if (!refusal) onChange(pickedPicture(file))
  }

  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    take(event.dataTransfer.files[0])
  }
  // Text that is pasted into the description of the picture may bring a picture of itself.
  const onPaste = ({ target, clipboardData: { types: pasted, files } }: ClipboardEvent) => {
    if (!pasted.includes('text/plain') && !(target instanceof HTMLInputElement)) take(files[0])
  }
  const remove = () => {
    setProblem(null)
    onChange(null)
  }
  const close = () => {
    setIsAdjusting(false)
    adjustButton.current?.focus()
  }
  const named = (action: string) => ({
    size: 'compact-sm',
    variant: 'subtle',
    'aria-label': `${action}: ${label}`,
    children: action,
  })
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame */}
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
              {picture && adjusting && (
                <Button {...named(adjusting.label)} ref={adjustButton} onClick={() => setIsAdjusting(true)} />
              )}
              {picture && <Button {...named(edit.removePicture)} color="red" onClick={remove} />}
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
      </div>
      {/* Outside, so that what is pasted or dropped into the dialog does not bubble to the field. */}
      <Suspense>{picture && isAdjusting && adjusting?.dialog(close)}</Suspense>
    </>
  )
}
