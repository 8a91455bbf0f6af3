import { Button, FileButton, Group, Text, TextInput } from '@mantine/core'
import { type ClipboardEvent, type DragEvent, useState } from 'react'
import { Icon } from '../../parts/icons.tsx'
import { decimal, filled, words } from '../../words/words.ts'
import type { OptionDraft } from './poll-draft.ts'

const TYPES = ['image/png', 'image/jpeg', 'image/webp']
const MEBIBYTE = 1024 * 1024
const MOST_BYTES = 5 * MEBIBYTE

function refusalOf({ type, size }: File): string | null {
  const { edit } = words()
  if (!TYPES.includes(type)) return edit.pictureType
  return size > MOST_BYTES ? filled(edit.pictureSize, { size: decimal(size / MEBIBYTE) }) : null
}

interface PictureFieldProps {
  readonly label: string
  readonly option: OptionDraft
  readonly error: string | undefined
  readonly onChange: (change: Partial<OptionDraft>) => void
}

/** The picture of an option: dropped, pasted or chosen. What the service would refuse is said before it is sent. */
export function PictureField({ label, option: { picture, alt }, error, onChange }: PictureFieldProps) {
  const { edit } = words()
  const [problem, setProblem] = useState<string | null>(null)
  const [isOver, setIsOver] = useState(false)

  function take(file: File | null | undefined): void {
    if (!file) return
    const refusal = refusalOf(file)
    setProblem(refusal)
    if (!refusal) onChange({ picture: { url: URL.createObjectURL(file), file } })
  }

  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    take(event.dataTransfer.files[0])
  }
  const onPaste = (event: ClipboardEvent) => take(event.clipboardData.files[0])

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
        {picture ? (
          <img className="drop-picture" src={picture.url} alt={alt} />
        ) : (
          <span className="drop-picture none">
            <Icon name="picture" size={22} />
          </span>
        )}
        <div className="grow">
          <Group gap="xs">
            <FileButton onChange={take} accept={TYPES.join(',')} inputProps={{ 'aria-label': label }}>
              {(props) => (
                <Button {...props} size="compact-sm" variant="default" aria-label={`${edit.choosePicture}: ${label}`}>
                  {edit.choosePicture}
                </Button>
              )}
            </FileButton>
            {picture && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={`${edit.removePicture}: ${label}`}
                onClick={() => onChange({ picture: null })}
              >
                {edit.removePicture}
              </Button>
            )}
          </Group>
          <Text size="xs" c="dimmed" mt={4}>
            {edit.pictureText}
          </Text>
        </div>
      </Group>
      {(problem ?? error) && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mt={6}>
          {problem ?? error}
        </Text>
      )}
      {picture && (
        <TextInput
          mt="xs"
          label={edit.alt}
          description={edit.altText}
          value={alt}
          dir="auto"
          maxLength={200}
          onChange={(event) => onChange({ alt: event.currentTarget.value })}
        />
      )}
    </div>
  )
}
