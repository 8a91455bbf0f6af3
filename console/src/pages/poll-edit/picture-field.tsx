import { TextInput } from '@mantine/core'
import { Icon } from '../../parts/icons.tsx'
import { PictureDrop } from '../../parts/pictures/picture-drop.tsx'
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
  /** The share that is sent while the upload runs. */
  readonly sent: number | undefined
  readonly onChange: (change: Partial<OptionDraft>) => void
}

/** The picture of an option, with the words that stand for it. */
export function PictureField({ label, option: { picture, alt }, error, sent, onChange }: PictureFieldProps) {
  const { edit } = words()
  const thumbnail = picture ? (
    <img className="drop-picture" src={picture.url} alt={alt} />
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
      canCrop
      thumbnail={thumbnail}
      text={edit.pictureText}
      onChange={(changed) => onChange({ picture: changed })}
    >
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
    </PictureDrop>
  )
}
