import { TextInput } from '@mantine/core'
import { Icon } from '../../parts/icons.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { PictureDrop } from '../../parts/pictures/picture-drop.tsx'
import { formWords } from '../../words/form-words.ts'
import { decimal, filled } from '../../words/words.ts'
import { type OptionDraft, type PollDraft, UNPLACED } from './poll-draft.ts'
import type { Slot } from './save-poll.ts'

const PictureDialog = lazyPart(async () => (await import('./picture-dialog.tsx')).PictureDialog)

const TYPES = ['image/png', 'image/jpeg', 'image/webp']
const MEBIBYTE = 1024 * 1024
const MOST_BYTES = 5 * MEBIBYTE

function refusalOf({ type, size }: File): string | null {
  const its = formWords().poll
  if (!TYPES.includes(type)) return its.pictureType
  return size > MOST_BYTES ? filled(its.pictureSize, { size: decimal(size / MEBIBYTE) }) : null
}

interface PictureFieldProps {
  readonly label: string
  readonly draft: PollDraft
  readonly slot: Slot
  readonly error: string | undefined
  /** The share that is sent while the upload runs. */
  readonly sent: number | undefined
  readonly onChange: (change: Partial<OptionDraft>) => void
}

/** The picture of an option, with the words that stand for it. */
export function PictureField({ label, draft, slot, error, sent, onChange }: PictureFieldProps) {
  const its = formWords().poll
  const { picture, alt, fit, focusX, focusY } = draft[slot]
  const placed = { objectFit: fit, objectPosition: `${100 * focusX}% ${100 * focusY}%` }
  const thumbnail = picture ? (
    <img className="drop-picture" src={picture.url} alt={alt} style={placed} />
  ) : (
    <span className="drop-picture none">
      <Icon name="picture" size={22} />
    </span>
  )
  return (
    <PictureDrop
      label={label}
      picture={picture}
      types={TYPES}
      refusalOf={refusalOf}
      error={error}
      sent={sent}
      adjusting={{
        label: formWords().picture.open,
        dialog: (onClose) => <PictureDialog draft={draft} slot={slot} onApply={onChange} onClose={onClose} />,
      }}
      thumbnail={thumbnail}
      text={its.pictureText}
      onChange={(changed) => onChange({ picture: changed, ...UNPLACED })}
    >
      {picture && (
        <TextInput
          mt="xs"
          label={its.alt}
          description={its.altText}
          value={alt}
          dir="auto"
          maxLength={200}
          onChange={(event) => onChange({ alt: event.currentTarget.value })}
        />
      )}
    </PictureDrop>
  )
}
