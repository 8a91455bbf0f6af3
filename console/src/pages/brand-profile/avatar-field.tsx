import { Icon } from '../../parts/icons.tsx'
import type { PickedPicture } from '../../parts/pictures/picked-picture.ts'
import { PictureDrop } from '../../parts/pictures/picture-drop.tsx'
import { formWords } from '../../words/form-words.ts'
import { decimal, filled, oneOf } from '../../words/words.ts'

const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']
const TYPE_NAMES = ['PNG', 'JPEG', 'WebP', 'SVG']
const MEBIBYTE = 1024 * 1024
/** A photograph is made small before it is sent. */
const MOST_BYTES = 5 * MEBIBYTE

function refusalOf({ type, size }: File): string | null {
  const { look, poll } = formWords()
  if (!TYPES.includes(type)) return filled(look.assetType, { types: oneOf(TYPE_NAMES) })
  return size > MOST_BYTES ? filled(poll.pictureSize, { size: decimal(size / MEBIBYTE) }) : null
}

interface AvatarProps {
  readonly avatar: PickedPicture
  readonly error: string | undefined
  readonly sent: number | undefined
  readonly onChange: (avatar: PickedPicture) => void
}

/** The picture of the brand. */
export function AvatarField({ avatar, error, sent, onChange }: AvatarProps) {
  const { brand: its } = formWords()
  const round = { width: 72, height: 72, borderRadius: '50%' }
  return (
    <PictureDrop
      label={its.avatar}
      picture={avatar}
      types={TYPES}
      refusalOf={refusalOf}
      error={error}
      sent={sent}
      thumbnail={
        avatar ? (
          <img className="drop-picture" style={round} src={avatar.url} alt="" />
        ) : (
          <span className="drop-picture none" style={{ ...round, border: '1px solid var(--line)' }}>
            <Icon name="picture" size={22} />
          </span>
        )
      }
      title={its.avatar}
      text={its.avatarText}
      onChange={onChange}
    />
  )
}
